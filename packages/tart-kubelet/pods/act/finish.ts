import { rm } from 'node:fs/promises';
import path from 'node:path';
import { deleteExact, messageOf, pods } from '@minifleet/kube';
import type { Sight } from '../observe.ts';
import type { Work } from '../pod-context.ts';
import { podLogDirectory, podPlaces } from '../pod-paths.ts';
import { report } from '../report.ts';

/** The terminal status is on the server before anything is torn down: an agent that dies in between tells it again. */
export async function finish(work: Work, sight: Sight): Promise<void> {
  await report(work, sight);
  await tearDown(work);
}

/**
 * Finishes the Pod and gives its object back, in one pass. An object that somebody else's finalizer holds stays, marked
 * as finished; the agent has nothing left to do with it.
 */
export async function release(work: Work, sight: Sight): Promise<void> {
  await finish(work, sight);
  await report(work);
  const { pod } = work.life;
  if (!pod) return;
  const { deletionGracePeriodSeconds, finalizers = [] } = pod.metadata;
  if (finalizers.length > 0 && deletionGracePeriodSeconds === 0) return;
  // Before the object: an agent that dies right after it never hears of this Pod again, and its logs would stay.
  if (finalizers.length === 0) await removeFolders(logFolders(work));
  await deleteExact(work.around.client, pods, pod, { gracePeriodSeconds: 0 });
}

/** There is no object to write to: what is left on the host goes, the logs too, and the worker with it. */
export async function forget(work: Work): Promise<void> {
  const folders = logFolders(work);
  await tearDown(work);
  await removeFolders(folders);
  work.end();
}

async function removeFolders(folders: ReadonlySet<string>): Promise<void> {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
}

/** Of a Pod that went while no agent was there only its guest's record knows where its logs are. */
function logFolders({ life, around }: Work): Set<string> {
  const files = around.guests
    .all()
    .flatMap(({ spec }) => (spec.id.uid === life.uid && spec.logFile ? spec.logFile : []));
  const folders = files.map(file => path.dirname(path.dirname(file)));
  return new Set(life.pod ? [...folders, podLogDirectory(around.directories.logs, life.pod)] : folders);
}

/** Removes what is left of every run of the Pod: VMs and records. All of them have exited. */
export async function removeGuests({ life, around }: Work): Promise<void> {
  for (const { spec } of around.guests.all()) {
    if (spec.id.uid === life.uid) await around.guests.remove(spec.id);
  }
}

/** Nothing of the Pod stays on the host but its logs, which are there as long as the Pod is. */
async function tearDown(work: Work): Promise<void> {
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
