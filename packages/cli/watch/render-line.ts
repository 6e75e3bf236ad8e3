import { timestamp } from '@minifleet/clock';
import type { Paint } from '../terminal/paint.ts';
import { clip, widthOf } from '../terminal/wrap.ts';
import type { LineType, TimelineLine } from './line.ts';
import { calledOf } from './summary.ts';

const MARKS: Readonly<Record<LineType, readonly [mark: string, paint: keyof Paint]>> = {
  came: ['+', 'good'],
  progress: ['·', 'quiet'],
  broken: ['!', 'doubtful'],
  warning: ['!', 'doubtful'],
  trouble: ['✗', 'bad'],
  well: ['✓', 'good'],
  gone: ['-', 'quiet'],
  summary: ['=', 'quiet'],
  'cut-off': ['!', 'doubtful'],
  resumed: ['✓', 'good'],
};

export interface LineLayout {
  readonly width: number;
  readonly paint: Paint;
  /** How wide the column of names is. */
  readonly names: number;
}

/** `21:05:09  runners-abc12   ✗ Node NotReady: …`, never wider than the terminal. What is about the cluster has no name. */
export function renderLine({ at, what, about, words }: TimelineLine, { width, paint, names }: LineLayout): string {
  const [mark, colour] = MARKS[what];
  const name = about ? clip(calledOf(about), names) : '';
  const column = about ? `${name}${' '.repeat(Math.max(0, names - widthOf(name)))}   ` : '';
  const room = width - TIME.length - widthOf(column) - 2;
  return `${timeOfDay(at)}  ${column}${paint[colour](mark)} ${clip(words, room)}`;
}

const TIME = '21:05:09  ';

/** Names get what they need, but no more than a third of a line. */
export const namesWidth = (names: readonly string[], width: number): number =>
  Math.min(Math.max(0, ...names.map(widthOf)), Math.floor(width / 3));

/** Where the user is: they look at their own clock. */
function timeOfDay(at: number): string {
  const time = new Date(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(part => String(part).padStart(2, '0')).join(':');
}

/** One object a line, for programs. */
export function lineAsData({ at, what, about, words, lasted }: TimelineLine): string {
  const { kind, namespace, name } = about ?? {};
  const seconds = lasted === undefined ? undefined : Math.round(lasted / 1_000);
  return JSON.stringify({ time: timestamp(at), what, kind, namespace, name, message: words, seconds });
}
