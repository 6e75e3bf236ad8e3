import { timestamp } from '@minifleet/clock';
import type { Paint } from '../terminal/paint.ts';
import { clip, widthOf } from '../terminal/wrap.ts';
import type { LineType, TimelineLine } from './entity.ts';
import { displayName } from './summary.ts';

const MARKS: Readonly<Record<LineType, readonly [mark: string, paint: keyof Paint]>> = {
  added: ['+', 'good'],
  progress: ['·', 'quiet'],
  fault: ['!', 'doubtful'],
  warning: ['!', 'doubtful'],
  problem: ['✗', 'bad'],
  recovered: ['✓', 'good'],
  deleted: ['-', 'quiet'],
  summary: ['=', 'quiet'],
  disconnected: ['!', 'doubtful'],
  reconnected: ['✓', 'good'],
};

interface LineLayout {
  readonly width: number;
  readonly paint: Paint;
  /** Width of the name column. */
  readonly names: number;
}

/** Renders `21:05:09  runners-abc12   ✗ Node NotReady: …`, truncated to the terminal. Lines about the cluster have no name. */
export function renderLine({ at, type, about, message }: TimelineLine, { width, paint, names }: LineLayout): string {
  const [mark, colour] = MARKS[type];
  const name = about ? clip(displayName(about), names) : '';
  const column = about ? `${name}${' '.repeat(Math.max(0, names - widthOf(name)))}   ` : '';
  const room = width - TIME.length - widthOf(column) - 2;
  return `${timeOfDay(at)}  ${column}${paint[colour](mark)} ${clip(message, room)}`;
}

const TIME = '21:05:09  ';

/** Returns the width of the name column, at most a third of the line. */
export const namesWidth = (names: readonly string[], width: number): number =>
  Math.min(Math.max(0, ...names.map(widthOf)), Math.floor(width / 3));

/** Renders the local time. */
function timeOfDay(at: number): string {
  const time = new Date(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(part => String(part).padStart(2, '0')).join(':');
}

/** Renders one JSON object. */
export function lineToJson({ at, type, about, message, duration }: TimelineLine): string {
  const { kind, namespace, name } = about ?? {};
  const seconds = duration === undefined ? undefined : Math.round(duration / 1_000);
  return JSON.stringify({ time: timestamp(at), type, kind, namespace, name, message, seconds });
}
