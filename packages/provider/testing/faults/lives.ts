import type { FleetBench } from './fleet-bench.ts';

/** Parts of the life of the machine `a`, as tests put them together. */
export async function begun({ core }: FleetBench, spec: object = {}): Promise<void> {
  await core.makeCluster();
  await core.makeMachine('a', spec);
}

export const ready = (bench: FleetBench): Promise<boolean> => bench.until('a is Ready', () => bench.isReady('a'));

export const returned = async (bench: FleetBench): Promise<boolean> => {
  await bench.core.deleteMachine('a');
  return bench.until('the host of a is free again', () => bench.isReturned('a'));
};

/** Somebody is at work on the host. */
export const atWork = (bench: FleetBench): Promise<boolean> =>
  bench.until('a run is under way', async () => (await bench.find('a'))?.status?.job !== undefined);

export const heldHost = async (bench: FleetBench): Promise<string> =>
  (await bench.find('a'))?.spec.claimRef?.name ?? '';
