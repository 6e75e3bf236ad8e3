import { rm } from 'node:fs/promises';
import path from 'node:path';
import { deleteExact, messageOf, pods } from '@minifleet/kube';
import type { PodObservation } from '../observe.ts';
import type { PodContext } from '../pod-context.ts';
import { podLogDirectory, podPaths } from '../pod-paths.ts';
import { reportStatus } from '../report.ts';

/** Writes the terminal status before tearing anything down, so that an agent that dies in between reports it again. */
export async function finish(context: PodContext, observation: PodObservation): Promise<void> {
  await reportStatus(context, observation);
  await tearDown(context);
}

/**
 * Finishes the Pod and deletes its object, in one sync. An object held by a foreign finalizer stays, marked as
 * finished; the agent has nothing left to do with it.
 */
export async function release(context: PodContext, observation: PodObservation): Promise<void> {
  await finish(context, observation);
  await reportStatus(context);
  const { pod } = context.state;
  if (!pod) return;
  const { deletionGracePeriodSeconds, finalizers = [] } = pod.metadata;
  if (finalizers.length > 0 && deletionGracePeriodSeconds === 0) return;
  // The logs go before the object: an agent that dies right after the deletion never learns of this Pod again, and its
  // logs would stay.
  if (finalizers.length === 0) await removeFolders(logFolders(context));
  await deleteExact(context.deps.client, pods, pod, { gracePeriodSeconds: 0 });
}

/** Removes what is left on the host, logs included, and ends the worker. There is no object to write to. */
export async function forget(context: PodContext): Promise<void> {
  const folders = logFolders(context);
  await tearDown(context);
  await removeFolders(folders);
  context.end();
}

async function removeFolders(folders: ReadonlySet<string>): Promise<void> {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
}

/** Log folders of the Pod. If the Pod was deleted while no agent ran, only its guest's record names them. */
function logFolders({ state, deps }: PodContext): Set<string> {
  const files = deps.guests
    .all()
    .flatMap(({ spec }) => (spec.id.uid === state.uid && spec.logFile ? spec.logFile : []));
  const folders = files.map(file => path.dirname(path.dirname(file)));
  return new Set(state.pod ? [...folders, podLogDirectory(deps.directories.logs, state.pod)] : folders);
}

/** Removes the VMs and records of every run of the Pod. All runs have exited. */
export async function removeGuests({ state, deps }: PodContext): Promise<void> {
  for (const { spec } of deps.guests.all()) {
    if (spec.id.uid === state.uid) await deps.guests.remove(spec.id);
  }
}

/** Removes everything of the Pod from the host except its logs, which live as long as the Pod. */
async function tearDown(context: PodContext): Promise<void> {
  const { state, deps } = context;
  state.monitor?.end();
  try {
    await removeGuests(context);
  } catch (error) {
    context.emit('Warning', 'FailedKillPod', `error removing guest: ${messageOf(error)}`);
    throw error;
  }
  deps.slots.release(state.uid);
  if (state.tornDown) return;
  await rm(podPaths(deps.directories.state, state.uid).directory, { recursive: true, force: true });
  state.tornDown = true;
}
