import { names, type RunnerPool } from '@minifleet/api';
import type { Runner } from '@minifleet/forges';
import { deleting, type KubeSecret, type Pod } from '@minifleet/kube';
import { isAlive } from '../../runner/pod-state.ts';

/** Start of a job on a runner. */
export interface JobAssignment {
  readonly job: string;
  readonly runner: string;
}

/** State of all pools at one moment, and all recorded operations so far. */
export interface PoolsSnapshot {
  readonly pools: readonly RunnerPool[];
  readonly pods: readonly Pod[];
  /** Secrets of runners. */
  readonly secrets: readonly KubeSecret[];
  /** Registrations at GitHub. */
  readonly registrations: readonly Pick<Runner, 'name'>[];
  readonly assignments: readonly JobAssignment[];
  /** Pods that a controller deleted. */
  readonly deleted: readonly { readonly runner: string; readonly withJob: boolean }[];
  /** Pods that a controller created, with the number of alive Pods and the replicas of the pool at that time. */
  readonly created: readonly { readonly runner: string; readonly alive: number; readonly desired: number }[];
  /** VMs that started with a registration that GitHub does not have, except those that a test removed at GitHub. */
  readonly startsWithoutRegistration: readonly string[];
  /** True if only one controller ran at any time. Two may both fill one vacancy and register a runner twice. */
  readonly singleController: boolean;
  /** Configurations that runners were started with. */
  readonly configurations: readonly string[];
  /** Log lines, reported ends and events. */
  readonly output: readonly string[];
}

/** Violations of the invariants that hold at any time, also right after a process was killed. */
export const violationsNow = (snapshot: PoolsSnapshot): string[] => [
  ...runnersWithTwoJobs(snapshot),
  ...jobsStartedTwice(snapshot),
  ...deletedDuringJob(snapshot),
  ...surplusRunners(snapshot),
  ...missingRegistrations(snapshot),
  ...configurationsInObjects(snapshot),
];

/** Violations of the additional invariants that hold when no further change is pending. */
export const violationsAtRest = (snapshot: PoolsSnapshot): string[] => [
  ...wrongRunnerCounts(snapshot),
  ...leftoverPods(snapshot),
  ...leftoverSecrets(snapshot),
  ...orphanedRegistrations(snapshot),
  ...duplicateEnds(snapshot),
  ...configurationsInOutput(snapshot),
];

const runnersWithTwoJobs = ({ assignments }: PoolsSnapshot): string[] =>
  repeated(assignments.map(({ runner }) => runner)).map(runner => `${runner} took two jobs`);

const jobsStartedTwice = ({ assignments }: PoolsSnapshot): string[] =>
  repeated(assignments.map(({ job }) => job)).map(job => `job ${job} was started twice`);

const deletedDuringJob = ({ deleted }: PoolsSnapshot): string[] =>
  deleted.filter(({ withJob }) => withJob).map(({ runner }) => `${runner} was deleted while it had a job`);

const surplusRunners = ({ created, singleController }: PoolsSnapshot): string[] =>
  created
    .filter(({ alive, desired }) => singleController && alive > desired)
    .map(({ runner, alive, desired }) => `${runner} was created as one of ${alive} where ${desired} are desired`);

const missingRegistrations = ({ startsWithoutRegistration, singleController }: PoolsSnapshot): string[] =>
  singleController
    ? startsWithoutRegistration.map(runner => `the VM of ${runner} was started with a missing registration`)
    : [];

const encoded = (text: string): string => Buffer.from(text).toString('base64');

/** The JIT configuration of a runner is only in the data of its Secret. */
function configurationsInObjects({ pools, pods, secrets, configurations }: PoolsSnapshot): string[] {
  const shown = JSON.stringify([pools, pods, secrets.map(secret => ({ ...secret, data: undefined }))]);
  return leaks(shown, configurations).map(text => `${text} is visible in an object`);
}

const configurationsInOutput = ({ output, configurations }: PoolsSnapshot): string[] =>
  leaks(output.join('\n'), configurations).map(text => `${text} was logged`);

const leaks = (shown: string, configurations: readonly string[]): readonly string[] =>
  configurations.filter(text => shown.includes(text) || shown.includes(encoded(text)));

const wrongRunnerCounts = ({ pools, pods }: PoolsSnapshot): string[] =>
  pools
    .filter(pool => !deleting(pool))
    .map(({ metadata, spec }) => {
      const own = pods.filter(pod => pod.metadata.labels?.[names.labels.runnerPool] === metadata.name);
      return { name: metadata.name, alive: own.filter(isAlive).length, desired: spec.replicas };
    })
    .filter(({ alive, desired }) => alive !== desired)
    .map(({ name, alive, desired }) => `${name} has ${alive} runners where ${desired} are desired`);

const leftoverPods = ({ pods }: PoolsSnapshot): string[] =>
  pods.filter(pod => !isAlive(pod)).map(({ metadata }) => `Pod ${metadata.name} is left`);

/** A Secret may outlive its Pod only while GitHub does not release the registration and the pool reports it. */
const leftoverSecrets = ({ pools, pods, secrets }: PoolsSnapshot): string[] => {
  const reported = pools
    .flatMap(({ status }) => status?.conditions ?? [])
    .filter(each => each.reason === 'StaleRegistrations');
  return secrets
    .map(({ metadata }) => metadata.name)
    .filter(name => !hasPod(pods, name) && !reported.some(({ message }) => message?.includes(name)))
    .map(name => `Secret ${name} is left`);
};

/** The controller finds a registration only by the Pod or the Secret of its runner. */
const orphanedRegistrations = ({ pods, secrets, registrations }: PoolsSnapshot): string[] =>
  registrations
    .filter(({ name }) => !hasPod(pods, name) && !secrets.some(({ metadata }) => metadata.name === name))
    .map(({ name }) => `registration ${name} has neither a Pod nor a Secret`);

const duplicateEnds = ({ pools }: PoolsSnapshot): string[] =>
  pools
    .flatMap(({ status }) => repeated(status?.recentEnds?.map(({ runner }) => runner) ?? []))
    .map(runner => `the end of ${runner} is recorded twice`);

const hasPod = (pods: readonly Pod[], name: string): boolean => pods.some(({ metadata }) => metadata.name === name);

const repeated = (values: readonly string[]): string[] =>
  [...new Set(values)].filter(value => values.filter(other => other === value).length > 1);
