import { seconds } from '@minifleet/clock';
import { announceEnd, tellAfterJob } from '../../host-work/after-job.ts';
import { decideHostWork, isBootstrapped, type Situation } from '../../host-work/decide-host-work.ts';
import { announceGivingUp, giveUpHost } from '../../host-work/escalation/give-up-host.ts';
import { announceRestart, restartHost } from '../../host-work/escalation/restart-host.ts';
import { announceWipe, wipeHost } from '../../host-work/escalation/wipe-host.ts';
import { hasServed, noteServed } from '../../host-work/has-served.ts';
import type { Job } from '../../host-work/host-work.ts';
import { isOver, uidOf } from '../../host-work/job-entry.ts';
import { type HostJournal, journalOf, sameJournal, statusOf, writeJournal } from '../../host-work/journal/journal.ts';
import { mirrorJob } from '../../host-work/journal/mirror-job.ts';
import { noteDesired } from '../../host-work/journal/note-desired.ts';
import { recordJob } from '../../host-work/journal/record-job.ts';
import { isJoined, type Looked, lookAtSituation, situationNow } from '../../host-work/look-at-situation.ts';
import { isWork, startWork, tokenFor, type Work } from '../../host-work/start-work.ts';
import { type WantedFrom, wantedHost } from '../../host-work/wanted-spec.ts';
import type { MachineParts } from '../parts.ts';
import { phase } from '../phase.ts';
import type { MachineScope } from '../scope.ts';
import { type BootstrapEnd, endAfterRecord, endOf } from './bootstrap-host-end.ts';

const LOOK_AT_THE_RELEASE = seconds(30);

/** Brings the host to what is wanted of it, keeps it so, and gives it up when it cannot be had. */
export const bootstrapHost = phase('HostBootstrapped', async (scope, parts): Promise<BootstrapEnd> => {
  const wanted = wantedFrom(scope, parts);
  const { desired } = wantedHost(wanted);
  const job = openJob(scope, parts);
  if (scope.samm.status?.plan?.applied !== undefined) noteServed(scope.samm);
  if (!job) change(scope, journal => noteDesired(journal, wantedHost(wanted)));
  const looked = await lookAtSituation(scope, parts, { job, desired });
  const seen = situationNow(looked, scope, parts);
  const decision = decideHostWork(seen);
  const pass = { scope, parts, wanted, looked };
  if (isWork(decision)) return begin(pass, decision);
  switch (decision.do) {
    case 'wait for the job':
      if (job) change(scope, journal => mirrorJob(journal, job));
      break;
    case 'record the job':
      if (job) return record(pass, job);
      break;
    case 'announce a restart':
      change(scope, journal => announceRestart(journal, seen.now));
      break;
    case 'restart':
      writeJournal(statusOf(scope.samm), await restartHost(journalOf(scope.samm.status), scope, parts));
      break;
    case 'announce a wipe':
      change(scope, journal => announceWipe(journal, seen.now));
      break;
    case 'wipe':
      writeJournal(statusOf(scope.samm), await wipeHost(journalOf(scope.samm.status), scope, parts));
      break;
    case 'announce giving up':
      await announceGivingUp(scope, parts);
      break;
    case 'give up':
      return giveUp(pass, seen);
    case 'wait for the vendor':
    case 'wait for the next try':
    case 'wait for its turn':
    case 'wait for guests to go':
    case 'nothing':
      break;
  }
  return endOf(decision, situationNow(looked, scope, parts), job);
});

interface Pass {
  readonly scope: MachineScope;
  readonly parts: MachineParts;
  readonly wanted: WantedFrom;
  readonly looked: Looked;
}

function wantedFrom({ samm, found }: MachineScope, { settings, runners }: MachineParts): WantedFrom {
  if (!found.access) throw new Error('HostBootstrapped runs after CredentialsReady');
  const { ghActionsRunner: runner } = samm.spec;
  const runnerUrl = runner && runners?.url(runner);
  return { samm, fleet: settings.fleet, access: found.access, kubeconfig: found.join?.kubeconfig, runnerUrl };
}

const change = ({ samm }: MachineScope, by: (journal: HostJournal) => HostJournal): void =>
  writeJournal(statusOf(samm), by(journalOf(samm.status)));

/** The machine's job, unless its end is seen to be written down: then nobody needs it any more. */
function openJob(scope: MachineScope, parts: MachineParts): Job | undefined {
  const job = parts.work.of(uidOf(scope.samm));
  if (!job || !isOver(job)) return job;
  if (!sameJournal(journalOf(scope.samm.status), recorded(job, scope, parts))) return job;
  parts.work.forget(job.uid);
  return undefined;
}

function recorded(job: Job, scope: MachineScope, { settings }: MachineParts): HostJournal {
  const journal = journalOf(scope.samm.status);
  const bootstrapped = isBootstrapped({
    plan: journal.plan ?? {},
    joined: isJoined(scope),
    served: hasServed(scope.samm),
  });
  return recordJob(journal, job, { bootstrapped, retryAfter: settings.rolls.retryAfter });
}

/** Writes the end down and says what follows from it; what is to be done then is done once it is seen to be written. */
async function record({ scope, parts, looked }: Pass, job: Job): Promise<BootstrapEnd> {
  await tellAfterJob(job, scope, parts);
  const after = recorded(job, scope, parts);
  announceEnd(job, scope, parts, after);
  writeJournal(statusOf(scope.samm), after);
  const seen = situationNow({ ...looked, facts: { ...looked.facts, job: 'none', runTold: false } }, scope, parts);
  return endAfterRecord(decideHostWork(seen), seen);
}

/** A builder's token is waited for, and others may have begun meanwhile: so the decision is made anew. */
async function begin({ scope, parts, wanted, looked }: Pass, work: Work): Promise<BootstrapEnd> {
  const runnerToken = await tokenFor(work, scope, parts);
  const seen = situationNow(looked, scope, parts);
  const decision = decideHostWork(seen);
  if (!isWork(decision)) return endOf(decision, seen, undefined);
  const job = startWork(decision, { scope, parts, wanted: { ...wanted, runnerToken }, occupancy: looked.occupancy });
  change(scope, journal => mirrorJob(journal, job));
  return endOf(decision, situationNow(looked, scope, parts), job);
}

async function giveUp({ scope, parts }: Pass, seen: Situation): Promise<BootstrapEnd> {
  const end = endOf({ do: 'give up' }, seen, undefined);
  const released = await giveUpHost(scope, parts);
  if (released.kind === 'released') return end;
  return { ...end, message: `${end.message}; ${released.why}`, again: LOOK_AT_THE_RELEASE };
}
