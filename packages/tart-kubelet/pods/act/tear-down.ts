import { rm } from 'node:fs/promises';
import { messageOf } from '@minifleet/kube';
import { podPlaces } from '../pod-places.ts';
import type { Work } from '../work.ts';

/** Removes what is left of every run of the Pod: VMs and records. All of them have exited. */
export async function removeGuests({ life, around }: Work): Promise<void> {
  for (const { spec } of around.guests.all()) {
    if (spec.id.uid === life.uid) await around.guests.remove(spec.id);
  }
}

/** Nothing of the Pod stays on the host but its logs, which are there as long as the Pod is. */
export async function tearDown(work: Work): Promise<void> {
  const { life, around } = work;
  life.tending?.end();
  try {
    await removeGuests(work);
  } catch (error) {
    work.say('Warning', 'FailedKillPod', `error removing the guest: ${messageOf(error)}`);
    throw error;
  }
  around.slots.release(life.uid);
  if (life.tornDown) return;
  await rm(podPlaces(around.directories.state, life.uid).directory, { recursive: true, force: true });
  life.tornDown = true;
}
