import { names, type RunnerPool } from '@minifleet/api';
import type { Runner } from '@minifleet/forges';
import { deleting, type KubeSecret, type Pod } from '@minifleet/kube';
import { isAlive } from '../../runner/pod-state.ts';

/** A runner that set to work on a job. */
export interface JobRun {
  readonly job: string;
  readonly runner: string;
}

/** Everything about pools at one moment, and what was done so far. */
export interface PoolsSeen {
  readonly pools: readonly RunnerPool[];
  readonly pods: readonly Pod[];
  /** Secrets of runners. */
  readonly secrets: readonly KubeSecret[];
  /** Registrations at GitHub. */
  readonly registrations: readonly Pick<Runner, 'name'>[];
  readonly runs: readonly JobRun[];
  /** Pods that a program deleted. */
  readonly deleted: readonly { readonly runner: string; readonly withJob: boolean }[];
  /** Pods that a program made, with how many were alive then and how many its pool wanted. */
  readonly made: readonly { readonly runner: string; readonly alive: number; readonly wanted: number }[];
  /** VMs that were started with a registration that the forge does not have, though nobody took it from there. */
  readonly startedInVain: readonly string[];
  /** Only one program ran at any time: two may fill one place at once, and register a runner twice. */
  readonly alone: boolean;
  /** Configurations that runners were started with. */
  readonly configurations: readonly string[];
  /** Whatever was logged, recorded and told. */
  readonly words: readonly string[];
}

/** Invariants violated at any time, also right after a crash. */
export const wrongNow = (seen: PoolsSeen): string[] => [
  ...workedTwice(seen),
  ...begunTwice(seen),
  ...takenWithJob(seen),
  ...tooMany(seen),
  ...vainStarts(seen),
  ...shownInObjects(seen),
];

/** Additional invariants violated at rest. */
export const wrongAtRest = (seen: PoolsSeen): string[] => [
  ...missing(seen),
  ...deadPods(seen),
  ...recordsLeft(seen),
  ...orphans(seen),
  ...endsTwice(seen),
  ...shownInWords(seen),
];

const workedTwice = ({ runs }: PoolsSeen): string[] =>
  repeated(runs.map(({ runner }) => runner)).map(runner => `${runner} took two jobs`);

const begunTwice = ({ runs }: PoolsSeen): string[] =>
  repeated(runs.map(({ job }) => job)).map(job => `the job ${job} was begun twice`);

const takenWithJob = ({ deleted }: PoolsSeen): string[] =>
  deleted.filter(({ withJob }) => withJob).map(({ runner }) => `${runner} was deleted while it had a job`);

const tooMany = ({ made, alone }: PoolsSeen): string[] =>
  made
    .filter(({ alive, wanted }) => alone && alive > wanted)
    .map(({ runner, alive, wanted }) => `${runner} was made as one of ${alive} where ${wanted} are desired`);

const vainStarts = ({ startedInVain, alone }: PoolsSeen): string[] =>
  alone ? startedInVain.map(runner => `the VM of ${runner} was started with a registration that is gone`) : [];

const encoded = (text: string): string => Buffer.from(text).toString('base64');

/** Checks that the JIT configuration is only in the data of its Secret. */
function shownInObjects({ pools, pods, secrets, configurations }: PoolsSeen): string[] {
  const shown = JSON.stringify([pools, pods, secrets.map(secret => ({ ...secret, data: undefined }))]);
  return leaks(shown, configurations).map(text => `${text} is visible in an object`);
}

const shownInWords = ({ words, configurations }: PoolsSeen): string[] =>
  leaks(words.join('\n'), configurations).map(text => `${text} was logged`);

const leaks = (shown: string, configurations: readonly string[]): readonly string[] =>
  configurations.filter(text => shown.includes(text) || shown.includes(encoded(text)));

const missing = ({ pools, pods }: PoolsSeen): string[] =>
  pools
    .filter(pool => !deleting(pool))
    .map(({ metadata, spec }) => {
      const own = pods.filter(pod => pod.metadata.labels?.[names.labels.runnerPool] === metadata.name);
      return { name: metadata.name, alive: own.filter(isAlive).length, wanted: spec.replicas };
    })
    .filter(({ alive, wanted }) => alive !== wanted)
    .map(({ name, alive, wanted }) => `${name} has ${alive} runners and wants ${wanted}`);

const deadPods = ({ pods }: PoolsSeen): string[] =>
  pods.filter(pod => !isAlive(pod)).map(({ metadata }) => `the Pod ${metadata.name} is left`);

/** A record outlives its Pod only while the forge does not release its registration, and then its pool reports it. */
const recordsLeft = ({ pools, pods, secrets }: PoolsSeen): string[] => {
  const shown = pools
    .flatMap(({ status }) => status?.conditions ?? [])
    .filter(each => each.reason === 'StaleRegistrations');
  return secrets
    .map(({ metadata }) => metadata.name)
    .filter(name => !hasPod(pods, name) && !shown.some(({ message }) => message?.includes(name)))
    .map(name => `the Secret ${name} is left`);
};

/** Without a record nobody would ever look for it. */
const orphans = ({ pods, secrets, registrations }: PoolsSeen): string[] =>
  registrations
    .filter(({ name }) => !hasPod(pods, name) && !secrets.some(({ metadata }) => metadata.name === name))
    .map(({ name }) => `the registration ${name} is nobody’s`);

const endsTwice = ({ pools }: PoolsSeen): string[] =>
  pools
    .flatMap(({ status }) => repeated(status?.recentEnds?.map(({ runner }) => runner) ?? []))
    .map(runner => `the end of ${runner} is recorded twice`);

const hasPod = (pods: readonly Pod[], name: string): boolean => pods.some(({ metadata }) => metadata.name === name);

const repeated = (values: readonly string[]): string[] =>
  [...new Set(values)].filter(value => values.filter(other => other === value).length > 1);
