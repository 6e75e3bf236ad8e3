import { percentile } from '../../report/percentile.ts';
import type { SubjectName } from '../names.ts';
import type { StubServer } from '../stub-server/start-stub-server.ts';
import { startSubject } from '../subject/start-subject.ts';

export const LATENCY_LOAD = { objects: 1_000, eventsPerSecond: 500, seconds: 20, warmUpSeconds: 3 };

/** Milliseconds from the write of an event to the start of its reconcile. */
export interface EventLatency {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Number of measured events. */
  readonly samples: number;
  readonly sent: number;
  /** CPU time of the subject in milliseconds. */
  readonly processorTimePerEvent: number;
}

/** Consecutive events belong to different objects, so that each causes exactly one reconcile. */
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
