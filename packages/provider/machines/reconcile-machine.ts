import { names, type ScalewayAppleSiliconMachine, scalewayAppleSiliconMachine } from '@minifleet/api';
import {
  addFinalizer,
  type Client,
  type Context,
  keyOf,
  type ObjectKey,
  type Outcome,
  patching,
  removeFinalizer,
  settled,
  waitForWatch,
} from '@minifleet/kube';
import { isMovedAway } from '../cluster-api/pause.ts';
import { isOver, uidOf } from '../host-work/job-entry.ts';
import { blockMove, holdStill } from './hold-still.ts';
import { stayBehind } from './left-behind.ts';
import { noteLocalNetwork } from './local-network-granted.ts';
import { machineEvents } from './machine-events.ts';
import { noteCondition } from './note-condition.ts';
import type { MachineParts } from './parts.ts';
import type { Phase, ReleasePhase } from './phase.ts';
import { clusterReady } from './phases/cluster-ready.ts';
import { readScope } from './read-scope.ts';
import { outcomeOf, runPhases } from './run-phases.ts';
import { outcomeOfRelease, runRelease } from './run-release.ts';
import type { MachineScope } from './scope.ts';
import { stanceOn } from './stance.ts';
import { summarise } from './summary.ts';
import { tellMachine } from './tell-machine.ts';

const { resource } = scalewayAppleSiliconMachine;
const { machine: finalizer } = names.finalizers;

/** A machine's life: the phases toward a Node, the steps of the way back, and what they have their effects through. */
export interface MachineLife {
  readonly parts: MachineParts;
  readonly phases: readonly Phase[];
  readonly release: readonly ReleasePhase[];
}

/** Drives one machine toward a host that is a Ready Node, or away from it. */
export async function reconcileMachine(context: Context, key: ObjectKey, life: MachineLife): Promise<Outcome> {
  const scope = await readScope(context, key);
  if (!scope) return settled();
  const parts = { ...life.parts, log: context.log };
  const within = (act: (scope: MachineScope) => Promise<Outcome>) => writing(scope, parts, act);
  switch (stanceOn(scope)) {
    case 'let go':
      return waitForWatch('waiting for other finalizers');
    case 'hands off':
      return isMovedAway(scope.samm) ? letMove(scope, parts) : within(held => holdStill(held, parts));
    case 'left behind':
      return within(left => stayBehind(left, parts));
    case 'release':
      return release(scope, parts, life.release);
    case 'wait for owner':
      return within(waiting => provision(waiting, parts, [clusterReady]));
    case 'paused':
      if (await addFinalizer({ client: parts.client, resource }, scope.samm, finalizer)) return settled();
      return within(held => holdStill(held, parts));
    case 'provision':
      // Before any effect, and in a write of its own, which wakes the next pass.
      if (await addFinalizer({ client: parts.client, resource }, scope.samm, finalizer)) return settled();
      return within(wanted => provision(wanted, parts, life.phases));
  }
}

/** One patch of what the pass changed, whatever happens, and an event for each change. */
function writing<T>(scope: MachineScope, parts: MachineParts, act: (scope: MachineScope) => Promise<T>): Promise<T> {
  return patching(parts, { resource, object: scope.samm }, async samm => {
    try {
      return await act({ ...scope, samm });
    } finally {
      for (const event of machineEvents(scope.samm, samm)) parts.events.record(event);
    }
  });
}

async function provision(scope: MachineScope, parts: MachineParts, phases: readonly Phase[]): Promise<Outcome> {
  const { samm } = scope;
  const { clock, work } = parts;
  noteCondition(samm, clock, { type: 'Paused', status: 'False', reason: 'NotPaused', message: '' });
  noteCondition(samm, clock, { type: 'Deleting', status: 'False', reason: 'NotDeleting', message: '' });
  const run = await runPhases(phases, scope, parts);
  summarise(samm, run, clock);
  noteLocalNetwork(scope, parts);
  const job = work.of(uidOf(samm));
  // A look changes nothing on the host, and the mark would be two writes each time.
  blockMove(samm, job?.kind === 'converge' && !isOver(job));
  await tellMachine(scope, parts);
  if (run.failure) throw run.failure.error;
  return outcomeOf(run);
}

async function release(scope: MachineScope, parts: MachineParts, steps: readonly ReleasePhase[]): Promise<Outcome> {
  const end = await writing(scope, parts, leaving => runRelease(steps, leaving, parts));
  if (end.kind === 'waiting') return outcomeOfRelease(end);
  await letGo(parts.client, scope.samm);
  return settled();
}

/** Read afresh, for the status was just written. */
async function letGo(client: Client, samm: ScalewayAppleSiliconMachine): Promise<void> {
  const left = await client.find(resource, keyOf(samm));
  if (left && left.metadata.uid === samm.metadata.uid) await removeFinalizer({ client, resource }, left, finalizer);
}

/** The copy of this object has the host now. Nothing is written either: clusterctl takes the object away. */
async function letMove(scope: MachineScope, parts: MachineParts): Promise<Outcome> {
  await parts.work.cancel(uidOf(scope.samm), 'clusterctl moves the machine to another cluster');
  return waitForWatch('clusterctl moves the object to another cluster');
}
