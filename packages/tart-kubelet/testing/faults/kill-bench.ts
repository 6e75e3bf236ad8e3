import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { seconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import {
  type Client,
  connectClient,
  createInformer,
  type Informer,
  type Pod,
  pods,
  readKubeconfig,
  silentLog,
} from '@minifleet/kube';
import { type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { startRegistry } from '@minifleet/world/testing';
import type { Registry } from '@minifleet/world/testing/registry';
import type { StartedTart } from '@minifleet/world/testing/tart';
import { makeWorldDeps } from '@minifleet/world/testing/tart';
import { guestName } from '../../guests/guest-name.ts';
import { isSupervisorOf, killProcesses, listProcesses } from '../../guests/process-table.ts';
import { guestDirectory } from '../../guests/record.ts';
import { type GuestsBench, makeGuestsBench } from '../../guests/testing/guests-bench.ts';
import { isTartRunOf } from '../../guests/testing/is-tart-run.ts';
import type { KillRow } from './kill-rows.ts';
import type { KillableAgentTask } from './killable-agent.ts';
import { isTerminal, type KillOutcome } from './killed-page.ts';

const NODE = 'mac-1';
const namespace = 'default';
/** Longer than the maximum back-off of a watch, because the API server restarts slowly on a busy machine. */
const LONG_DEADLINE = { deadline: seconds(90) };
/** Annotation that shows when the watch delivers Pods again. */
const MARK = 'example.org/marked';
const program = fileURLToPath(new URL('./killable-agent.ts', import.meta.url));

/** A real API server and one simulated Mac, on which one Pod after the other runs. */
export interface KillBench extends AsyncDisposable {
  /** Runs a Pod from creation to deletion. Kills its agent at the points of the row and starts another agent each time. */
  run(row: KillRow): Promise<KillRun>;
}

export interface KillRun extends KillOutcome {
  /** All points that the agents reached. */
  readonly points: readonly string[];
}

interface KillEnvironment {
  readonly cluster: LocalCluster;
  readonly admin: Client;
  readonly registry: Registry;
  readonly guests: GuestsBench;
  readonly builder: StartedTart;
  readonly watcher: PodWatcher;
}

/** Watches the Pods as an independent client. */
interface PodWatcher {
  /** Observed states of each Pod, by UID, in order. */
  readonly seen: ReadonlyMap<string, readonly string[]>;
  readonly pods: Informer<Pod>;
}

export async function openKillBench(): Promise<KillBench> {
  const cleaning: (() => Promise<void>)[] = [];
  const cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
  const admin = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
  const registry = await startRegistry({ deps: makeWorldDeps() });
  const host = { registries: { 'ghcr.io': registry.url } };
  const guests = await makeGuestsBench({ after: clean => void cleaning.push(clean) }, { host });
  await guests.foreign('builder');
  const builder = guests.simulated.start(['run', 'builder', '--no-graphics']);
  const stop = new AbortController();
  const watcher = followPods(admin);
  const following = watcher.pods.run(stop.signal);
  let number = 0;
  return {
    run: row => runRow({ cluster, admin, registry, guests, builder, watcher }, row, `run-${++number}`),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await following;
      for (const clean of cleaning) await clean();
      await registry.stop();
      await admin.close();
      await cluster.stop();
    },
  };
}

function followPods(client: Client): PodWatcher {
  const seen = new Map<string, string[]>();
  const informer = createInformer<Pod>({ client, resource: pods, clock: systemClock, log: silentLog });
  informer.subscribe(({ type, object }) => {
    const { uid = '' } = object.metadata;
    const terminated = object.status?.containerStatuses?.[0]?.state?.terminated;
    const state = type === 'deleted' ? 'gone' : `${object.status?.phase} ${describeExit(terminated)}`.trim();
    const list = seen.get(uid) ?? [];
    if (list.at(-1) !== state) list.push(state);
    seen.set(uid, list);
  });
  return { seen, pods: informer };
}

const describeExit = (exit: { exitCode: number; reason?: string } | undefined): string =>
  exit ? `${exit.exitCode} ${exit.reason ?? ''}` : '';

async function runRow(bench: KillEnvironment, row: KillRow, name: string): Promise<KillRun> {
  const { admin, guests } = bench;
  const { seen } = bench.watcher;
  const { kubeconfig, state, points, runs } = await prepareFiles(bench, name);
  // Each run has its own image, so that the agent pulls it.
  bench.registry.seedImage(`acme/${name}:1`);
  const { metadata } = await admin.create(pods, podOf(row, name, runs));
  const { uid = '' } = metadata;
  const simulated = { path: guests.simulated.path, home: guests.simulated.home };
  const agents = startAgents(
    { kubeconfig, node: NODE, simulated, state, logs: guests.logs, points, ready: join(state, 'ready') },
    row.at,
  );
  await using _ = { [Symbol.asyncDispose]: () => agents.kill() };
  const ended = () =>
    eventually(() => seen.get(uid)?.some(isTerminal), { what: 'the terminal phase of the Pod', ...LONG_DEADLINE });
  if (row.deleted === 'when it has ended') await ended();
  else await eventually(() => linesOf(runs) > 0, { what: 'the process of the Pod', ...LONG_DEADLINE });
  if (row.also === 'the API server') await restartApiServer(bench, name);
  else if (row.also) {
    await killOther(row.also, { uid, state });
    await ended();
  }
  await admin.delete(pods, { namespace, name });
  await eventually(() => seen.get(uid)?.at(-1) === 'gone', { what: 'the deletion of the Pod', ...LONG_DEADLINE });
  // A finished object is deleted immediately, then the agent ends; anything that stays is reported as a leftover.
  const logs = join(guests.logs, `${namespace}_${name}_${uid}`);
  await eventually(() => foldersIn(state).length === 0 && !existsSync(logs), LONG_DEADLINE).catch(() => undefined);
  const killed = await agents.end();
  return {
    row,
    killed,
    seen: seen.get(uid) ?? [],
    runs: linesOf(runs),
    left: [...(await leftoversOf(bench, { uid, state, image: imageOf(name) })), ...(existsSync(logs) ? ['logs'] : [])],
    points: readFileSync(points, 'utf8').trim().split('\n'),
  };
}

/**
 * Returns when the watcher receives Pods again. A restarted server has no old resource versions, so the watcher lists the Pods
 * after its back-off. Until then it would miss the last status of a Pod that exits and is deleted.
 */
async function restartApiServer({ cluster, admin, watcher }: KillEnvironment, name: string): Promise<void> {
  await cluster.component('kube-apiserver').restart();
  const body = { metadata: { annotations: { [MARK]: 'true' } } };
  await admin.patch(pods, { namespace, name }, { type: 'merge', body });
  const marked = () => watcher.pods.cache.get({ namespace, name })?.metadata.annotations?.[MARK];
  await eventually(marked, { what: 'the watch to deliver the Pod', ...LONG_DEADLINE });
}

function killOther(
  target: 'the supervisor' | 'tart run',
  { uid, state }: { uid: string; state: string },
): Promise<void> {
  const id = { uid, attempt: 0 };
  const matches = target === 'tart run' ? isTartRunOf(guestName(id)) : isSupervisorOf(guestDirectory(state, id));
  return killProcesses(matches, systemClock);
}

const linesOf = (file: string): number => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0);

async function prepareFiles({ cluster, guests }: KillEnvironment, name: string) {
  const state = join(guests.state, name);
  mkdirSync(state, { recursive: true });
  const { path: kubeconfig } = await cluster.nodeKubeconfig(NODE);
  return { kubeconfig, state, points: join(state, 'points'), runs: join(state, 'runs') };
}

const imageOf = (name: string): string => `ghcr.io/acme/${name}:1`;

function podOf(row: KillRow, name: string, runs: string): Pod {
  // The trap is set before the process records its run, so that SIGTERM cannot arrive too early.
  const record = `echo ran >> ${runs}`;
  const script =
    row.deleted === 'while it runs'
      ? `trap 'exit 7' TERM; ${record}; while :; do sleep 0.1; done`
      : `${record}; exit 5`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: {
      nodeName: NODE,
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 10,
      containers: [{ name: 'vm', image: imageOf(name), command: ['/bin/sh', '-c', script] }],
    },
  };
}

interface AgentSequence {
  /** Stops the last agent cleanly and returns the number of killed ones. */
  end(): Promise<number>;
  /** Kills the current agent and starts no other one. */
  kill(): Promise<void>;
}

/** Starts agents one after the other; each but the last kills itself at its configured point. */
function startAgents(task: Omit<KillableAgentTask, 'killAt'>, at: readonly string[]): AgentSequence {
  let killed = 0;
  let ending = false;
  let current: ChildProcess | undefined;
  const follow = async (): Promise<void> => {
    for (const killAt of [...at, undefined]) {
      if (ending) return;
      rmSync(task.ready, { force: true });
      const argv = [program, JSON.stringify({ ...task, killAt })];
      current = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'inherit'] });
      const [, signal] = (await once(current, 'exit')) as [number | null, string | null];
      if (signal === 'SIGKILL') killed += 1;
    }
  };
  const following = follow();
  return {
    async end() {
      // An agent that was killed at its last operation is replaced by now, or soon.
      await eventually(() => killed === at.length, { deadline: seconds(5) }).catch(() => undefined);
      await eventually(() => linesOf(task.ready) > 0 && current?.exitCode === null, LONG_DEADLINE);
      ending = true;
      current?.kill('SIGTERM');
      await following;
      return killed;
    },
    async kill() {
      ending = true;
      current?.kill('SIGKILL');
      await following;
    },
  };
}

const foldersIn = (state: string): string[] =>
  ['guests', 'pods'].flatMap(folder => {
    const path = join(state, folder);
    return existsSync(path) ? readdirSync(path).map(file => join(folder, file)) : [];
  });

interface DeletedPod {
  readonly uid: string;
  readonly state: string;
  readonly image: string;
}

/** Leftovers of the deleted Pod, and foreign objects that are missing; empty if the test passes. */
async function leftoversOf({ guests, builder }: KillEnvironment, { uid, state, image }: DeletedPod): Promise<string[]> {
  const vms = readdirSync(join(guests.simulated.home, 'vms'));
  const slots = readFileSync(join(state, 'slots'), 'utf8').trim().split('\n').at(-1) ?? '';
  const belongsToPod = ({ command }: { readonly command: string }): boolean =>
    command.includes(uid) || command.includes(image);
  const isRunning = async (): Promise<boolean> => (await listProcesses()).some(belongsToPod);
  // A killed process may still be listed for a moment.
  const stopped = await eventually(async () => !(await isRunning()), { deadline: seconds(5) }).catch(() => false);
  return [
    ...vms.filter(vm => vm.includes(uid)).map(vm => `VM ${vm}`),
    ...foldersIn(state).map(folder => `folder ${folder}`),
    ...(stopped ? [] : ['a process']),
    ...(slots === '0 held, 0 waiting' ? [] : [`slots: ${slots}`]),
    ...(vms.includes('builder') && vms.includes('golden') ? [] : ['a foreign VM is gone']),
    ...(builder.process.exitCode === null ? [] : ['a foreign VM was stopped']),
  ];
}
