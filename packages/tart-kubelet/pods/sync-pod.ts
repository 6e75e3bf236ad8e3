import { finish, forget, release } from './act/finish.ts';
import { launch } from './act/launch.ts';
import { readTermination } from './act/read-termination.ts';
import { restart } from './act/restart.ts';
import { tend } from './act/start-probes.ts';
import { stop } from './act/stop.ts';
import { admit } from './admission/admit.ts';
import { activeDeadline } from './decide/delays.ts';
import { imageChanged } from './decide/last-run.ts';
import { type Action, isTerminal, podTable } from './decide/pod-table.ts';
import { isReplaced, look, type Sight } from './observe.ts';
import { containerNameOf, type Work } from './pod-context.ts';
import { report } from './report.ts';

const actions: Readonly<Record<Action, (work: Work, sight: Sight) => Promise<void>>> = {
  launch,
  restart,
  tend,
  stop,
  finish,
  release,
  forget,
  wait: async () => undefined,
  abandon,
};

/** Gives up the launch under way; a guest that is being made, by a clone that may hang, is stopped in the making. */
async function abandon(work: Work, sight: Sight): Promise<void> {
  work.life.launch?.abort.abort(new Error('the Pod is no longer wanted'));
  const { guest } = sight.run ?? {};
  if (guest && guest.state.phase !== 'exited') await stop(work, sight);
}

/** One look at a Pod and one action; short, whatever its guest takes. */
export async function pass(work: Work): Promise<void> {
  admitOnce(work);
  endOverdue(work);
  warnOfLateContainers(work);
  condemnOutdated(work);
  await readTermination(work, look(work).run);
  const sight = look(work);
  keepSlot(work, sight);
  await actions[podTable[sight.desired][sight.observed]](work, sight);
  await report(work);
}

/** A Pod that was let in stays in: after a restart of the agent it has a start time, or a guest. */
function admitOnce(work: Work): void {
  const { life, around } = work;
  const { pod } = life;
  if (life.admitted || !pod || life.gone || life.ending || isTerminal(pod) || pod.metadata.deletionTimestamp) return;
  const known = pod.status?.startTime !== undefined || look(work).run !== undefined;
  const refusal = known ? undefined : admit(pod, around.node(), around.admittedBeside(life.uid));
  if (!refusal) {
    life.admitted = true;
    around.stages?.reached(life.uid, 'admitted');
    return;
  }
  life.ending = { ...refusal, refused: true };
  work.say('Warning', refusal.reason, refusal.message);
}

function endOverdue(work: Work): void {
  const { life, around } = work;
  const deadline = life.pod && !life.gone && !life.ending ? activeDeadline(life.pod) : undefined;
  if (deadline === undefined) return;
  if (around.clock.now() < deadline) {
    work.wakeAt(deadline);
    return;
  }
  const message = 'Pod was active on the node longer than the specified deadline';
  life.ending = { reason: 'DeadlineExceeded', message };
  work.say('Normal', 'DeadlineExceeded', message);
}

/** kubectl debug adds them to a Pod that was let in long ago: it cannot be refused any more, only told. */
function warnOfLateContainers(work: Work): void {
  const { life } = work;
  if (life.warned || !life.admitted || !life.pod?.spec?.ephemeralContainers?.length) return;
  life.warned = true;
  const note = 'Ephemeral containers are not started: a Pod is one VM, use kubectl exec';
  work.say('Warning', 'EphemeralContainersNotSupported', note);
}

/** As kubelet: a Pod whose image was changed is stopped and run again with the new one, whatever its restart policy says. */
function condemnOutdated(work: Work): void {
  const { life } = work;
  const { desired, observed, run } = look(work);
  if (!run || desired !== 'wanted' || !['starting', 'running', 'condemned'].includes(observed)) return;
  if (isReplaced(life, run) || !imageChanged(life.pod, run.guest)) return;
  life.condemned = { attempt: run.attempt, because: 'its image was changed' };
  work.say('Normal', 'Killing', `Container ${containerNameOf(work)} definition changed, will be restarted`);
}

/** A slot belongs to a VM that runs or is about to; one that was found running has had it all along. */
function keepSlot({ life, around }: Work, { observed }: Sight): void {
  if (observed === 'none' || observed === 'half made' || observed === 'exited') around.slots.release(life.uid);
  else if (observed !== 'launching') around.slots.hold(life.uid);
}
