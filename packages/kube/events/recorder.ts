import { type Clock, microTimestamp, minutes } from '@minifleet/clock';
import { events, type KubeEvent } from '../client/built-in.ts';
import type { Client } from '../client/client.ts';
import { defined } from '../defined.ts';
import type { KubeObject } from '../object.ts';
import { errorFields, type Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { createEventBudget } from './event-budget.ts';

/** One thing that happened, for `kubectl describe`. `reason` is a constant of the catalogue, `note` a sentence. */
export interface EventNote {
  readonly regarding: KubeObject;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  /** Action as one CamelCase verb: `Claim`, `Bootstrap`. */
  readonly action: string;
  readonly note: string;
  readonly related?: KubeObject;
}

export interface EventRecorder {
  /** Returns at once; an event is never worth a failed reconcile. */
  record(event: EventNote): void;
  /** Waits until everything recorded so far is written or given up. */
  flush(): Promise<void>;
}

interface RecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Domain-qualified: `minifleet.dev/provider`. */
  readonly controller: string;
  readonly instance: string;
}

// The API's limit for a note; a longer one would cost us the whole event.
const NOTE_LIMIT = 1_024;
// As client-go: the same happening within this time is one event with a count.
const SERIES_WINDOW = minutes(6);
const REMEMBERED = 4_096;

interface EventSeries {
  readonly key: { readonly namespace: string; readonly name: string };
  count: number;
  last: number;
}

export function createEventRecorder(options: RecorderOptions): EventRecorder {
  const { clock, metrics, log } = options;
  const series = new Map<string, EventSeries>();
  const budget = createEventBudget(clock);
  let tail: Promise<void> = Promise.resolve();
  let number = 0;

  async function write(event: EventNote): Promise<void> {
    const same = sameness(event);
    const known = series.get(same);
    if (known && clock.now() - known.last < SERIES_WINDOW) return countAgain(options, known);
    const created = newEvent(event, options, ++number);
    series.delete(same);
    series.set(same, {
      key: { namespace: created.metadata.namespace ?? 'default', name: created.metadata.name },
      count: 1,
      last: clock.now(),
    });
    for (const oldest of series.keys()) {
      if (series.size <= REMEMBERED) break;
      series.delete(oldest);
    }
    await options.client.create(events, created);
  }

  return {
    record(event) {
      if (!budget.spend(event.regarding.metadata.uid ?? event.regarding.metadata.name)) {
        metrics.eventsDropped.inc({ cause: 'too-many' });
        return;
      }
      tail = tail
        .then(() => write(event))
        .catch((error: unknown) => {
          series.delete(sameness(event));
          metrics.eventsDropped.inc({ cause: 'write-failed' });
          log.warn({ ...errorFields(error), reason: event.reason }, 'Event not written');
        });
    },
    flush: () => tail,
  };
}

const sameness = ({ regarding, type, reason, action, note }: EventNote): string =>
  [regarding.kind, regarding.metadata.uid ?? regarding.metadata.name, type, reason, action, note].join('\n');

async function countAgain({ client, clock }: RecorderOptions, known: EventSeries): Promise<void> {
  known.count += 1;
  known.last = clock.now();
  const body = { series: { count: known.count, lastObservedTime: microTimestamp(known.last) } };
  await client.patch(events, known.key, { type: 'merge', body });
}

function newEvent(event: EventNote, options: RecorderOptions, number: number): KubeEvent {
  const { regarding, related } = event;
  const now = options.clock.now();
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: {
      // Events of cluster-scoped objects live in `default`, where kubectl describe looks for them.
      namespace: regarding.metadata.namespace ?? 'default',
      name: `${regarding.metadata.name}.${now.toString(16)}${number.toString(16).padStart(4, '0')}`,
    },
    eventTime: microTimestamp(now),
    reportingController: options.controller,
    reportingInstance: options.instance,
    type: event.type,
    reason: event.reason,
    action: event.action,
    note: event.note.length > NOTE_LIMIT ? `${event.note.slice(0, NOTE_LIMIT - 1)}…` : event.note,
    regarding: referenceTo(regarding),
    ...(related ? { related: referenceTo(related) } : {}),
  };
}

function referenceTo({ apiVersion, kind, metadata }: KubeObject) {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, name, ...defined({ namespace, uid, resourceVersion }) };
}
