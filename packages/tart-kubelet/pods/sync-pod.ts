import { finish, forget, release } from './act/finish.ts';
import { launch } from './act/launch.ts';
import { readTermination } from './act/read-termination.ts';
import { restart } from './act/restart.ts';
import { monitorRun } from './act/start-probes.ts';
import { stop } from './act/stop.ts';
import { admit } from './admission/admit.ts';
import { activeDeadline } from './decide/delays.ts';
import { imageChanged } from './decide/last-run.ts';
import { isTerminal, type PodAction, podTable } from './decide/pod-table.ts';
import { isReplaced, observe, type PodObservation } from './observe.ts';
import { containerNameOf, type PodContext } from './pod-context.ts';
import { reportStatus } from './report.ts';

const actions: Readonly<Record<PodAction, (context: PodContext, observation: PodObservation) => Promise<void>>> = {
  launch,
  restart,
  monitor: monitorRun,
  stop,
  finish,
  release,
  forget,
  wait: async () => undefined,
  'cancel launch': cancelLaunch,
};

/** Cancels the launch in progress and stops a guest that is being created, because its clone may hang. */
async function cancelLaunch(context: PodContext, observation: PodObservation): Promise<void> {
  context.state.launch?.abort.abort(new Error('the Pod no longer needs this launch'));
  const { guest } = observation.run ?? {};
  if (guest && guest.state.phase !== 'exited') await stop(context, observation);
}

/** Observes a Pod and takes one action; short, however long its guest takes. */
export async function syncPod(context: PodContext): Promise<void> {
  admitOnce(context);
  enforceDeadline(context);
  warnOfEphemeralContainers(context);
  restartOnImageChange(context);
  await readTermination(context, observe(context).run);
  const observation = observe(context);
  keepSlot(context, observation);
  await actions[podTable[observation.desired][observation.observed]](context, observation);
  await reportStatus(context);
}

/** Admits a Pod once. After an agent restart, a start time or a guest shows that the Pod was already admitted. */
function admitOnce(context: PodContext): void {
  const { state, deps } = context;
  const { pod } = state;
  if (state.admitted || !pod || state.gone || state.failure || isTerminal(pod) || pod.metadata.deletionTimestamp)
    return;
  const known = pod.status?.startTime !== undefined || observe(context).run !== undefined;
  const refusal = known ? undefined : admit(pod, deps.node(), deps.admittedBeside(state.uid));
  if (!refusal) {
    state.admitted = true;
    deps.stages?.reached(state.uid, 'admitted');
    return;
  }
  state.failure = { ...refusal, refused: true };
  context.emit('Warning', refusal.reason, refusal.message);
}

function enforceDeadline(context: PodContext): void {
  const { state, deps } = context;
  const deadline = state.pod && !state.gone && !state.failure ? activeDeadline(state.pod) : undefined;
  if (deadline === undefined) return;
  if (deps.clock.now() < deadline) {
    context.wakeAt(deadline);
    return;
  }
  const message = 'Pod was active on the node longer than the specified deadline';
  state.failure = { reason: 'DeadlineExceeded', message };
  context.emit('Normal', 'DeadlineExceeded', message);
}

/**
 * kubectl debug adds ephemeral containers to admitted Pods, which can no longer be rejected; a warning event is
 * emitted.
 */
function warnOfEphemeralContainers(context: PodContext): void {
  const { state } = context;
  if (state.warned || !state.admitted || !state.pod?.spec?.ephemeralContainers?.length) return;
  state.warned = true;
  const note = 'Ephemeral containers are not supported (a Pod is one VM); use kubectl exec';
  context.emit('Warning', 'EphemeralContainersNotSupported', note);
}

/**
 * As in kubelet, a Pod whose image was changed is stopped and restarted with the new one, regardless of its restart
 * policy.
 */
function restartOnImageChange(context: PodContext): void {
  const { state } = context;
  const { desired, observed, run } = observe(context);
  if (!run || desired !== 'active' || !['starting', 'running', 'must restart'].includes(observed)) return;
  if (isReplaced(state, run) || !imageChanged(state.pod, run.guest)) return;
  state.mustRestart = { attempt: run.attempt, because: 'its image was changed' };
  context.emit('Normal', 'Killing', `Container ${containerNameOf(context)} definition changed, will be restarted`);
}

/** A slot belongs to a VM that runs or is about to; a guest found running has held its slot all along. */
function keepSlot({ state, deps }: PodContext, { observed }: PodObservation): void {
  if (observed === 'none' || observed === 'incomplete' || observed === 'exited') deps.slots.release(state.uid);
  else if (observed !== 'launching') deps.slots.hold(state.uid);
}
