import type { HostJobStatus } from '@minifleet/api';
import { minutes, timestamp } from '@minifleet/clock';
import type { JournalEntry } from '@minifleet/host';
import type { Job } from '../host-work.ts';
import { cut, inSeconds } from './entry-words.ts';
import { type HostJournal, notDone, type StepNews, withSteps } from './journal.ts';

const HEARTBEAT_APART = minutes(1);

/** What a run that is under way has come to. An inspection changes nothing, so it leaves no trace until its end. */
export function mirrorJob(journal: HostJournal, job: Job): HostJournal {
  if (job.kind === 'inspect' || job.state.kind !== 'running') return journal;
  const steps = journal.steps ?? [];
  const told = [...job.entries.values()].flatMap(entry => newsOf(entry, steps));
  return {
    ...journal,
    steps: withSteps(steps, told, timestamp(job.heartbeatAt)),
    currentStep: job.last?.step ?? '',
    job: shownJob(journal.job, job),
  };
}

/** The heartbeat moves once a minute: it is worth no write of its own more often. */
function shownJob(before: HostJobStatus | undefined, job: Job): HostJobStatus {
  const shown = before?.id === job.id ? before.heartbeatTime : undefined;
  const keep = shown !== undefined && job.heartbeatAt - Date.parse(shown) < HEARTBEAT_APART;
  return {
    id: job.id,
    startTime: timestamp(job.startedAt),
    deadlineTime: timestamp(job.deadlineAt),
    heartbeatTime: keep ? shown : timestamp(job.heartbeatAt),
  };
}

/** A failure is told by the report at the end, with the time of the next try. */
function newsOf(entry: JournalEntry, steps: NonNullable<HostJournal['steps']>): StepNews[] {
  const { step: name, kind, attempt, durationMs } = entry;
  if (name === undefined) return [];
  const before = steps.find(step => step.name === name);
  const known = { name, ...(before?.fingerprint === undefined ? {} : { fingerprint: before.fingerprint }) };
  const message = cut(entry.message);
  if (kind === 'changing' || kind === 'settling') {
    // What needs a person is told until something has come of another try: Ready would come and go with each (I32).
    return before?.state === 'Failed' ? [] : [{ ...known, state: 'Running', attempts: attempt - 1, message }];
  }
  if (kind === 'changed') return [{ ...known, state: 'Done', ...inSeconds(durationMs) }];
  if (kind === 'held back') return [{ ...known, state: 'Waiting', reason: notDone.heldBack, message }];
  return [];
}
