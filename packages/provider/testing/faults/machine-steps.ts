import type { FleetFaultBench } from './fleet-fault-bench.ts';

/** Creates the machine `a`, on which every scenario operates. */
export async function createMachine({ core }: FleetFaultBench, spec: object = {}): Promise<void> {
  await core.makeCluster();
  await core.makeMachine('a', spec);
}

export const untilReady = (bench: FleetFaultBench): Promise<boolean> =>
  bench.until('a is Ready', () => bench.isReady('a'));

export const deleteMachine = async (bench: FleetFaultBench): Promise<boolean> => {
  await bench.core.deleteMachine('a');
  return bench.until('the host of a is free again', () => bench.isReturned('a'));
};

/** Waits until a provider runs a job on the host. */
export const untilJobRuns = (bench: FleetFaultBench): Promise<boolean> =>
  bench.until('a job runs on the host', async () => (await bench.hostOf('a'))?.status?.job !== undefined);

export const heldHost = async (bench: FleetFaultBench): Promise<string> =>
  (await bench.find('a'))?.spec.claimRef?.name ?? '';
