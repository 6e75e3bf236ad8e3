import { describeLastExit } from '../../launchd/printed-job.ts';
import type { ActionsRunnerSettings } from './actions-runner.ts';
import { agentLabel, DIRECTORY, isSameRunner, JOB_PATH, type RunnerState, renderAgent } from './runner-state.ts';

/** Differences by remedy. */
interface RunnerDifferences {
  /** The archive must be unpacked. */
  readonly code: readonly string[];
  /** The runner must register, which needs a token. */
  readonly registration: readonly string[];
  /** The job must be set up and restarted. */
  readonly service: readonly string[];
  /** Only time is needed: the runner was just started. */
  readonly settling: readonly string[];
}

export const allDifferences = ({ code, registration, service, settling }: RunnerDifferences): string[] => [
  ...code,
  ...registration,
  ...service,
  ...settling,
];

export function runnerDifferences(state: RunnerState, want: ActionsRunnerSettings): RunnerDifferences {
  const health = healthDifferences(state);
  return {
    code: codeDifferences(state, want),
    registration: registrationDifferences(state, want),
    service: [...serviceDifferences(state, want), ...health.service],
    settling: health.settling,
  };
}

function codeDifferences(
  { whole, archive, updatedTo, registration }: RunnerState,
  want: ActionsRunnerSettings,
): string[] {
  if (!whole) return [`no runner is installed in ${DIRECTORY}`];
  const [version, sha256] = (archive ?? '').split(' ');
  // A runner that updates itself would undo a downgrade at its next job, so a newer version is accepted.
  if (updatedTo !== undefined && registration?.updatesItself && !isOlder(updatedTo, want.version)) return [];
  const there = updatedTo ?? version;
  if (!there) return [`the runner version in ${DIRECTORY} is not recorded, expected ${want.version}`];
  if (there !== want.version) return [`the runner is ${there}, expected ${want.version}`];
  return sha256 === want.archive.sha256 ? [] : [`the runner ${there} was not unpacked from the pinned archive`];
}

function registrationDifferences(state: RunnerState, want: ActionsRunnerSettings): string[] {
  const { registration, credentials, registered, listener } = state;
  if (!registration) return ['the runner is not registered'];
  if (!isSameRunner(registration, want))
    return [
      `the runner is registered as ${registration.name} at ${registration.url}, expected ${want.name} at ${want.url}`,
    ];
  if (!credentials) return ['the runner credentials are missing'];
  if (listener.state === 'deleted') return [`GitHub has deleted the registration of ${want.name}`];
  // The labels of a registration made by other tools are unknown.
  const labels = registered?.split(' ')[2] ?? '';
  if (registered === undefined || labels === want.labels.join(',')) return [];
  return [
    `the runner is registered with the labels ${labels || '(GitHub defaults only)'}, expected ${want.labels.join(',')}`,
  ];
}

function serviceDifferences(state: RunnerState, want: ActionsRunnerSettings): string[] {
  const label = agentLabel(want);
  return [
    ...(state.session ? [] : [`${want.user} has no GUI session`]),
    ...(state.owner === undefined || state.owner === want.user
      ? []
      : [`${DIRECTORY} belongs to ${state.owner}, expected ${want.user}`]),
    ...(state.path === JOB_PATH ? [] : [`the PATH of jobs is ${state.path ?? 'not set'}, expected ${JOB_PATH}`]),
    ...(state.agent === renderAgent(want.user, label)
      ? []
      : [`launch agent ${label} is ${state.agent ? 'outdated' : 'missing'}`]),
    ...state.strays.map(stray => `launch agent ${stray} starts the same runner`),
    ...(state.restartPending ? ['the runner was changed but not restarted'] : []),
  ];
}

// launchd waits ten seconds between two starts: a process of this age has survived its start.
const STABLE_SECONDS = 5;
// Longer than a listener takes to connect.
const CONNECTS_WITHIN_SECONDS = 60;

/** Checks whether the runner takes jobs. Missing information in the log is not a difference. */
function healthDifferences({
  session,
  job,
  age = 0,
  listener,
}: RunnerState): Pick<RunnerDifferences, 'service' | 'settling'> {
  const service = (...words: string[]) => ({ service: words, settling: [] });
  // Without a session there is no job either; report only one cause.
  if (!session) return service();
  if (!job) return service('launchd has no job for the runner');
  if (job.pid === undefined) return service(`the runner job is ${job.state}: ${describeLastExit(job.lastExit)}`);
  if (listener.state === 'failing') return service(`the runner listener fails: ${listener.words}`);
  const waits = [
    ...(age < STABLE_SECONDS ? [`the runner process is ${age}s old, expected ${STABLE_SECONDS}s`] : []),
    ...(listener.state === 'connecting' ? ['the runner listener has not connected to GitHub'] : []),
  ];
  return age < CONNECTS_WITHIN_SECONDS ? { service: [], settling: waits } : service(...waits);
}

/** Compares two runner versions such as `2.334.0`. */
export function isOlder(one: string, other: string): boolean {
  const [left, right] = [one, other].map(version => version.split('.').map(Number));
  const at = (left ?? []).findIndex((part, index) => part !== right?.[index]);
  return at >= 0 && (left?.[at] ?? 0) < (right?.[at] ?? 0);
}
