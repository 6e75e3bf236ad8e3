import { type Duration, milliseconds, seconds, type Timer } from '@minifleet/clock';
import type { KubeEvent } from '@minifleet/kube';
import type { CliContext } from '../context.ts';
import { createLiveLines } from '../terminal/live-lines.ts';
import { paintFor } from '../terminal/paint.ts';
import { lineWidth } from '../terminal/table.ts';
import type { Entity, EntityKind, EntitySnapshot, TimelineLine } from './entity.ts';
import { lineToJson, namesWidth, renderLine } from './render-line.ts';
import { displayName, summaryText } from './summary.ts';
import { allHealthy, createTimeline, FAULT_VISIBLE_WITHIN, isUnhealthy, type Timeline } from './timeline.ts';

/** Prints snapshots and events as a timeline. */
export interface WatchPrinter {
  /** Starts with the current state. Of earlier events only recently injected faults are printed. */
  start(snapshots: readonly EntitySnapshot[]): void;
  observe(snapshots: readonly EntitySnapshot[]): void;
  /** `initial`: the event existed before the watch started. */
  handleEvent(event: KubeEvent, initial: boolean): void;
  connectionChanged(state: 'disconnected' | 'reconnected'): void;
  /** Returns the current summary, which is undefined before the start. */
  status(): { readonly summary: string | undefined; readonly unhealthy: boolean };
  /** Prints the final summary, if any line was printed before. */
  printSummary(): void;
  stop(): void;
}

interface WatchPrinterOptions {
  readonly context: CliContext;
  readonly json: boolean;
  /** Called after every change, and when an injected fault had no visible effect. */
  readonly onStatus: (healthy: boolean) => void;
}

/** Events arrive before the condition with the same message. They wait this long and are not printed if the condition follows. */
const CONDITION_FOLLOWS_WITHIN = seconds(1);

const CONNECTION_MESSAGES = {
  disconnected: 'connection to the API server lost; retrying, missed changes are printed after reconnection',
  reconnected: 'reconnected to the API server',
} as const;

export function createWatchPrinter({ context, json, onStatus }: WatchPrinterOptions): WatchPrinter {
  const { clock } = context;
  const timers = new Set<Timer>();
  const recentFaults: KubeEvent[] = [];
  let timeline: Timeline | undefined;
  let printedAny = false;
  const entities = () => timeline?.entities() ?? [];
  const output = createLineOutput(context, json, entities);

  const later = (duration: Duration, work: () => void): void => {
    const timer = clock.after(duration, () => {
      timers.delete(timer);
      work();
    });
    timers.add(timer);
  };
  const reportStatus = (): void => onStatus(allHealthy(entities(), clock.now()));
  const print = (lines: readonly TimelineLine[]): void => {
    if (lines.length === 0) return;
    printedAny = true;
    output.print(lines);
  };
  const summaryLine = (): TimelineLine => ({
    ...{ at: clock.now(), type: 'summary', message: summaryText(entities(), clock.now()) },
  });
  const linesOf = (event: KubeEvent, at: number, receivedAt = at): readonly TimelineLine[] => {
    const about = entities().filter(({ snapshot }) => isAbout(event, snapshot));
    // The machine of a held Mac reports the same problems, so it is preferred.
    const entity = about.find(({ snapshot }) => snapshot.kind !== 'mac') ?? about[0];
    if (!entity) return [];
    if (isInjectedFault(event)) later(milliseconds(Math.max(0, at + FAULT_VISIBLE_WITHIN - clock.now())), reportStatus);
    const { type, reason = '', note = '' } = event;
    const watched = { type: type === 'Warning' ? 'Warning' : 'Normal', reason, note } as const;
    return timeline?.handleEvent(entity.snapshot.key, { at, receivedAt, event: watched }) ?? [];
  };

  return {
    start(snapshots) {
      const started = createTimeline(snapshots, clock.now());
      timeline = started;
      const faults = latestOfEach(recentFaults).flatMap(event => linesOf(event, timeOf(event)));
      output.print([summaryLine(), ...faults, ...started.initialLines]);
      output.showStatusLine();
      reportStatus();
    },
    observe(snapshots) {
      print(timeline?.observe(snapshots, clock.now()) ?? []);
      if (timeline) reportStatus();
    },
    handleEvent(event, initial) {
      const age = clock.now() - timeOf(event);
      if (initial && isInjectedFault(event) && age < FAULT_VISIBLE_WITHIN) recentFaults.push(event);
      if (initial || !timeline) return;
      const receivedAt = clock.now();
      if (isInjectedFault(event)) print(linesOf(event, receivedAt));
      else later(CONDITION_FOLLOWS_WITHIN, () => print(linesOf(event, clock.now(), receivedAt)));
    },
    connectionChanged: state => print([{ at: clock.now(), type: state, message: CONNECTION_MESSAGES[state] }]),
    status: () => ({
      summary: timeline && summaryText(entities(), clock.now()),
      unhealthy: entities().some(isUnhealthy),
    }),
    printSummary: () => printedAny && output.print([summaryLine()]),
    stop() {
      for (const timer of timers) timer.cancel();
      output.end();
    },
  };
}

/** Output of timeline lines. On a terminal the last line is a live summary. */
interface LineOutput {
  print(lines: readonly TimelineLine[]): void;
  /** Shows the live summary from now on, on a terminal. */
  showStatusLine(): void;
  end(): void;
}

function createLineOutput(context: CliContext, json: boolean, entities: () => readonly Entity[]): LineOutput {
  const { output, clock, colours } = context;
  const live = output.isTTY === true && !json ? createLiveLines(output, clock) : undefined;
  const paint = paintFor(output, colours);
  const text = (line: TimelineLine): string => {
    if (json) return lineToJson(line);
    const width = lineWidth(output);
    // The server ids of free Macs would make the column of names too wide for all lines.
    const others = entities().filter(({ snapshot }) => snapshot.kind !== 'mac');
    const names = [...others.map(({ snapshot }) => snapshot), ...(line.about ? [line.about] : [])].map(displayName);
    return renderLine(line, { width, paint, names: namesWidth(names, width) });
  };
  return {
    print(lines) {
      for (const line of lines) {
        if (live) live.keep(text(line));
        else output.write(`${text(line)}\n`);
      }
    },
    showStatusLine() {
      live?.begin(spinner => `${spinner} ${summaryText(entities(), clock.now())}`);
    },
    end: () => live?.end(),
  };
}

/** Entity kind of each object kind. */
const ENTITY_KINDS: Readonly<Record<string, EntityKind>> = {
  ScalewayAppleSiliconMachine: 'host',
  MacMachine: 'host',
  Machine: 'host',
  Node: 'host',
  MacHost: 'host',
  MachineDeployment: 'fleet',
  RunnerPool: 'pool',
};

/** True if an event is about the entity or one of its objects. */
function isAbout({ regarding }: KubeEvent, { kind, namespace, aliases }: EntitySnapshot): boolean {
  if (!isOfKind(regarding?.kind, kind) || !aliases.includes(regarding?.name ?? '')) return false;
  return CLUSTER_SCOPED.includes(regarding?.kind ?? '') || regarding?.namespace === namespace;
}

const isOfKind = (objectKind = '', kind: EntityKind): boolean =>
  ENTITY_KINDS[objectKind] === kind || (objectKind === 'MacHost' && kind === 'mac');

/** The namespace of events about these kinds is ignored: a kubelet writes the Node name there. */
const CLUSTER_SCOPED: readonly string[] = ['Node', 'MacHost'];

/** True for the event that `minifleet break` records. */
const isInjectedFault = ({ type, reason }: KubeEvent): boolean => type === 'Warning' && reason === 'Broken';

const timeOf = ({ eventTime, metadata }: KubeEvent): number =>
  Date.parse(eventTime ?? metadata.creationTimestamp ?? '');

/** Returns the last event about each object. */
const latestOfEach = (events: readonly KubeEvent[]): KubeEvent[] => [
  ...new Map(
    events.toSorted((a, b) => timeOf(a) - timeOf(b)).map(event => [event.regarding?.uid, event] as const),
  ).values(),
];
