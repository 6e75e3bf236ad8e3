import { type Duration, milliseconds, seconds, type Timer } from '@minifleet/clock';
import type { KubeEvent } from '@minifleet/kube';
import type { CliContext } from '../context.ts';
import type { EntitySnapshot } from './entity.ts';
import { isAbout, isBreak, timeOf } from './event.ts';
import type { TimelineLine } from './line.ts';
import { summaryWords } from './summary.ts';
import { createLinePrinter } from './teller.ts';
import { allHealthy, createTimeline, isUnhealthy, SHOWS_WITHIN, type Timeline } from './timeline.ts';

/** Makes lines of what is seen and heard, in the order in which it makes sense. */
export interface WatchPrinter {
  /** With what is there. What is seen or heard before is not told, but for what was just broken. */
  begin(sights: readonly EntitySnapshot[]): void;
  see(sights: readonly EntitySnapshot[]): void;
  hear(event: KubeEvent, before: boolean): void;
  connection(state: 'cut-off' | 'resumed'): void;
  /** How things stand in words, which are undefined before the beginning. */
  standing(): { readonly words: string | undefined; readonly troubled: boolean };
  /** Says how things stand at last, if there was anything to tell. */
  sumUp(): void;
  stop(): void;
}

export interface WatchPrinterOptions {
  readonly context: CliContext;
  readonly json: boolean;
  /** After everything that is told, and when something that was expected has not come. */
  readonly onStanding: (well: boolean) => void;
}

/** Events reach us before the condition that says the same; they wait for it, and are not told when it comes. */
const CONDITION_FOLLOWS_WITHIN = seconds(1);

const CONNECTION = {
  'cut-off': 'cut off from the API server; it is tried again, and what happens meanwhile is told then',
  resumed: 'the API server answers again',
} as const;

export function createWatchPrinter({ context, json, onStanding }: WatchPrinterOptions): WatchPrinter {
  const { clock } = context;
  const timers = new Set<Timer>();
  const justBroken: KubeEvent[] = [];
  let story: Timeline | undefined;
  let news = false;
  const subjects = () => story?.subjects() ?? [];
  const teller = createLinePrinter(context, json, subjects);

  const later = (duration: Duration, work: () => void): void => {
    const timer = clock.after(duration, () => {
      timers.delete(timer);
      work();
    });
    timers.add(timer);
  };
  const judge = (): void => onStanding(allHealthy(subjects(), clock.now()));
  const tell = (lines: readonly TimelineLine[]): void => {
    if (lines.length === 0) return;
    news = true;
    teller.tell(lines);
  };
  const summary = (): TimelineLine => ({
    at: clock.now(),
    what: 'summary',
    words: summaryWords(subjects(), clock.now()),
  });
  const linesOf = (event: KubeEvent, at: number, heardAt = at): readonly TimelineLine[] => {
    const subject = subjects().find(({ sight }) => isAbout(event, sight));
    if (!subject) return [];
    if (isBreak(event)) later(milliseconds(Math.max(0, at + SHOWS_WITHIN - clock.now())), judge);
    const { type, reason = '', note = '' } = event;
    const told = { type: type === 'Warning' ? 'Warning' : 'Normal', reason, note } as const;
    return story?.hear(subject.sight.key, { at, heardAt, event: told }) ?? [];
  };

  return {
    begin(sights) {
      const begun = createTimeline(sights, clock.now());
      story = begun;
      const breaks = latestOfEach(justBroken).flatMap(event => linesOf(event, timeOf(event)));
      teller.tell([summary(), ...breaks, ...begun.opening]);
      teller.showStanding();
      judge();
    },
    see(sights) {
      tell(story?.see(sights, clock.now()) ?? []);
      if (story) judge();
    },
    hear(event, before) {
      const age = clock.now() - timeOf(event);
      if (before && isBreak(event) && age < SHOWS_WITHIN) justBroken.push(event);
      if (before || !story) return;
      const heardAt = clock.now();
      if (isBreak(event)) tell(linesOf(event, heardAt));
      else later(CONDITION_FOLLOWS_WITHIN, () => tell(linesOf(event, clock.now(), heardAt)));
    },
    connection: state => tell([{ at: clock.now(), what: state, words: CONNECTION[state] }]),
    standing: () => ({ words: story && summaryWords(subjects(), clock.now()), troubled: subjects().some(isUnhealthy) }),
    sumUp: () => news && teller.tell([summary()]),
    stop() {
      for (const timer of timers) timer.cancel();
      teller.end();
    },
  };
}

/** The last event about each object. */
const latestOfEach = (events: readonly KubeEvent[]): KubeEvent[] => [
  ...new Map(
    events.toSorted((a, b) => timeOf(a) - timeOf(b)).map(event => [event.regarding?.uid, event] as const),
  ).values(),
];
