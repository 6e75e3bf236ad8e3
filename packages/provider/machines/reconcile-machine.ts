import { type InfraMachine, type MachineKind, names } from '@minifleet/api';
import {
  addFinalizer,
  type Client,
  type Context,
  deleting,
  findCondition,
  isConditionTrue,
  keyOf,
  type ObjectKey,
  type Outcome,
  patchChanges,
  patching,
  removeFinalizer,
  setCondition,
  settled,
  waitForWatch,
} from '@minifleet/kube';
import { capiMachines, type Machine } from '../cluster-api/kinds.ts';
import { isMovedAway, pausedBy } from '../cluster-api/owner-and-pause.ts';
import { machineEvents } from './machine-events.ts';
import { blockMove, type MachineDeps, type MachineScope, readScope, reconcileMode } from './machine-scope.ts';
import { mirrored, mirrorLocalNetwork } from './mirror-host.ts';
import { type MachineConditionType, noteCondition, type Phase } from './phase.ts';
import { builderRunnerOnline } from './phases/builder-runner.ts';
import { claimHost } from './phases/claim-host.ts';
import { clusterReady } from './phases/cluster-ready.ts';
import { joinMaterialReady } from './phases/join-material.ts';
import { nodeReady } from './phases/node-ready.ts';
import { servingCertificateReady } from './phases/serving-certificate.ts';
import { notReady, observeGeneration, summarize } from './ready.ts';
import { outcomeOfRelease, releaseMachine } from './release-machine.ts';
import { outcomeOf, runPhases } from './run-phases.ts';

/** The way to a Ready Node, in the order of the conditions. */
export const provisionPhases: readonly Phase[] = [
  clusterReady,
  claimHost,
  mirrored('OSImageCurrent'),
  mirrored('CredentialsReady'),
  joinMaterialReady,
  mirrored('HostBootstrapped'),
  builderRunnerOnline,
  nodeReady,
  servingCertificateReady,
];

interface MachineReconciler {
  readonly kind: MachineKind;
  readonly deps: MachineDeps;
  readonly phases: readonly Phase[];
}

/** Brings one machine to a host that is a Ready Node, or releases its host. */
export async function reconcileMachine(
  context: Context,
  key: ObjectKey,
  { kind, phases, ...reconciler }: MachineReconciler,
): Promise<Outcome> {
  const scope = await readScope(context, key, kind);
  if (!scope) return settled();
  const deps = { ...reconciler.deps, log: context.log };
  const { machine } = scope;
  const { resource, finalizer } = kind;
  const writer = { client: deps.client, resource };
  const within = (act: (scope: MachineScope) => Promise<Outcome>) => writing(scope, deps, act);
  switch (reconcileMode(scope)) {
    case 'released':
      return waitForWatch('waiting for other finalizers');
    case 'hands off':
      // The copy of a moved object has the host now, and clusterctl removes this object.
      return isMovedAway(machine)
        ? waitForWatch('clusterctl moves the object to another cluster')
        : within(paused => pause(paused, deps));
    case 'left behind':
      return within(left => leaveBehind(left, deps));
    case 'release':
      return release(scope, deps);
    case 'wait for owner':
      return within(waiting => provision(waiting, deps, [clusterReady]));
    case 'paused':
      if (await addFinalizer(writer, machine, finalizer)) return settled();
      return within(paused => pause(paused, deps));
    case 'provision':
      // Before any effect, in a write of its own, which starts the next reconcile.
      if (await addFinalizer(writer, machine, finalizer)) return settled();
      return within(desired => provision(desired, deps, phases));
  }
}

/** One patch of all changes, even after an error, and an event for each change. */
function writing<T>(scope: MachineScope, deps: MachineDeps, act: (scope: MachineScope) => Promise<T>): Promise<T> {
  return patching(deps, { resource: scope.kind.resource, object: scope.machine }, async machine => {
    try {
      return await act({ ...scope, machine });
    } finally {
      for (const event of machineEvents(scope.machine, machine)) deps.events.record(event);
    }
  });
}

async function provision(scope: MachineScope, deps: MachineDeps, phases: readonly Phase[]): Promise<Outcome> {
  const { machine, host } = scope;
  const { clock } = deps;
  noteCondition(machine, clock, { type: 'Paused', status: 'False', reason: 'NotPaused', message: '' });
  noteCondition(machine, clock, { type: 'Deleting', status: 'False', reason: 'NotDeleting', message: '' });
  const run = await runPhases(phases, scope, deps);
  summarize(machine, run, clock);
  mirrorLocalNetwork(machine, host, clock);
  await updateOwner(scope, deps);
  if (run.failure) throw run.failure.error;
  return outcomeOf(run);
}

/** clusterctl may move the machine once the host controller has stopped the job and saved the status of the host in an annotation. */
async function pause({ machine, cluster, host }: MachineScope, { clock }: MachineDeps): Promise<Outcome> {
  const why = pausedBy(machine, cluster) ?? '';
  const holds = host?.spec.consumerRef?.uid === machine.metadata.uid;
  const saved = host?.metadata.annotations?.[names.annotations.hostStatus] !== undefined;
  if (!holds || saved) blockMove(machine, false);
  noteCondition(machine, clock, { type: 'Paused', status: 'True', reason: 'Paused', message: why });
  // A machine that is not Ready would otherwise report a wait that nothing ends.
  if (!isConditionTrue(machine, 'Ready')) noteCondition(machine, clock, notReady('Paused', 'Paused', why));
  observeGeneration(machine);
  return waitForWatch(why);
}

/** Touches no host: it may belong to another cluster by now. A Cluster of that name starts the next reconcile. */
async function leaveBehind({ machine, kind }: MachineScope, { clock }: MachineDeps): Promise<Outcome> {
  const cluster = machine.metadata.labels?.[names.clusterApi.clusterNameLabel];
  const message =
    `its Machine and the Cluster ${cluster} no longer exist, as after a clusterctl move that left this object behind. ` +
    `If another cluster uses the host, remove the finalizer ${kind.finalizer}; otherwise recreate the Cluster ${cluster} to continue the deletion`;
  noteCondition(machine, clock, { type: 'Deleting', status: 'True', reason: 'LeftBehind', message });
  noteCondition(machine, clock, notReady('Deleting', 'LeftBehind', message));
  observeGeneration(machine);
  return waitForWatch(message);
}

async function release(scope: MachineScope, deps: MachineDeps): Promise<Outcome> {
  const end = await writing(scope, deps, released => releaseMachine(released, deps));
  if (end.kind === 'waiting') return outcomeOfRelease(end);
  await dropFinalizer(deps.client, scope.kind, scope.machine);
  return settled();
}

/** Reads the machine again, because its status was just written. */
async function dropFinalizer(
  client: Client,
  { resource, finalizer }: MachineKind,
  machine: InfraMachine,
): Promise<void> {
  const now = await client.find(resource, keyOf(machine));
  if (now && now.metadata.uid === machine.metadata.uid) await removeFinalizer({ client, resource }, now, finalizer);
}

/** Conditions other than Ready that can be a readiness gate of a Machine. */
const GATES: readonly MachineConditionType[] = ['BuilderRunnerOnline'];

/**
 * Copies the conditions that a Machine names as readiness gates to the Machine: Cluster API looks for them there and copies only Ready
 * itself. All other conditions stay as they are.
 */
async function updateOwner(
  { machine, ownerMachine }: Pick<MachineScope, 'machine' | 'ownerMachine'>,
  { client, clock }: Pick<MachineDeps, 'client' | 'clock'>,
): Promise<void> {
  if (!ownerMachine || deleting(ownerMachine)) return;
  const updated = structuredClone(ownerMachine);
  const gates = GATES.filter(type => isGate(ownerMachine, type)).flatMap(type => findCondition(machine, type) ?? []);
  for (const condition of gates) setCondition(updated, condition, clock);
  await patchChanges({ client, resource: capiMachines }, ownerMachine, updated);
}

const isGate = ({ spec }: Machine, type: string): boolean =>
  spec.readinessGates?.some(({ conditionType }) => conditionType === type) === true;
