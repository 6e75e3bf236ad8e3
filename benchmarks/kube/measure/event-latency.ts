import { percentile } from '../../report/percentile.ts';
import type { SubjectName } from '../names.ts';
import type { StubServer } from '../stub-server/start-stub-server.ts';
import { startSubject } from '../subject/start-subject.ts';

export const LATENCY_LOAD = { objects: 1_000, eventsPerSecond: 500, seconds: 20, warmUpSeconds: 3 };

/** Milliseconds from the moment the server writes an event to the start of the reconcile that it wakes. */
export interface EventLatency {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** How many events were timed, of how many sent. */
  readonly samples: number;
  readonly sent: number;
  /** Of the whole subject, in milliseconds. */
  readonly processorTimePerEvent: number;
}

/** Every event is for another object than the ones before it, so that each is one reconcile and none hides behind another. */
export async function measureEventLatency(stub: StubServer, name: SubjectName): Promise<EventLatency> {
  const { objects, eventsPerSecond, seconds, warmUpSeconds } = LATENCY_LOAD;
  await stub.ask('fill', objects);
  const subject = await startSubject(name, 'time-events');
  try {
    await subject.ask('start', stub.kubeconfig);
    const warmUp = await stub.ask('load', { eventsPerSecond, seconds: warmUpSeconds, stamped: false });
    await subject.ask('passed', objects + warmUp.sent);
    const timeBefore = await subject.ask('processorTime');
    const { sent } = await stub.ask('load', { eventsPerSecond, seconds, stamped: true });
    await subject.ask('passed', objects + warmUp.sent + sent);
    const timeUsed = (await subject.ask('processorTime')) - timeBefore;
    const { latencies } = await subject.ask('figures');
    return {
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      max: percentile(latencies, 1),
      samples: latencies.length,
      sent,
      processorTimePerEvent: timeUsed / sent,
    };
  } finally {
    await subject.stop();
  }
}
