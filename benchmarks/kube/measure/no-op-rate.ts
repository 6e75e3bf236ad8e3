import { median } from '../../report/percentile.ts';
import type { SubjectName } from '../names.ts';
import type { StubServer } from '../stub-server/start-stub-server.ts';
import { startSubject } from '../subject/start-subject.ts';

export const NO_OP_LOAD = { objects: 10_000, rounds: 5, warmUpRounds: 2 };

export interface NoOpRate {
  readonly reconcilesPerSecond: number;
}

/** A change of the settings triggers a reconcile of every object. Measured from its write to the last reconcile. */
export async function measureNoOpRate(stub: StubServer, name: SubjectName): Promise<NoOpRate> {
  const { objects, rounds, warmUpRounds } = NO_OP_LOAD;
  await stub.ask('fill', objects);
  const subject = await startSubject(name, 'read-cache');
  try {
    await subject.ask('start', stub.kubeconfig);
    await subject.ask('passed', objects);
    const rates: number[] = [];
    for (let round = 1; round <= warmUpRounds + rounds; round++) {
      const { writtenAt } = await stub.ask('touchSettings');
      await subject.ask('passed', objects * (round + 1));
      const { lastAt } = await subject.ask('figures');
      if (round > warmUpRounds) rates.push(objects / ((lastAt - writtenAt) / 1_000));
    }
    return { reconcilesPerSecond: median(rates) };
  } finally {
    await subject.stop();
  }
}
