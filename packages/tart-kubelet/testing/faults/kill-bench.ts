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
import { isTerminal, type KillOutcome } from './killed-page.ts';
import type { MortalTask } from './mortal-agent.ts';

const NODE = 'mac-1';
const namespace = 'default';
/** Longer than a watch waits at most before it asks again: on a busy machine the API server takes its time to come back. */
const PATIENT = { deadline: seconds(90) };
/** Put on a Pod to be seen. */
const MARK = 'example.org/marked';
const program = fileURLToPath(new URL('./mortal-agent.ts', import.meta.url));

/** A real API server and one simulated Mac, on which one Pod after the other is lived through. */
export interface KillBench extends AsyncDisposable {
  /** One Pod's whole life, its agent killed where the row says and started again. */
  liveThrough(row: KillRow): Promise<Lived>;
}

export interface Lived extends KillOutcome {
  /** All the points its agents came by. */
  readonly points: readonly string[];
}

interface Bench {
  readonly cluster: LocalCluster;
  readonly admin: Client;
  readonly registry: Registry;
  readonly guests: GuestsBench;
  readonly builder: StartedTart;
  readonly witness: Witness;
}

/** Follows the Pods as anybody may, beside their agents. */
interface Witness {
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
  const witness = followPods(admin);
  const following = witness.pods.run(stop.signal);
  let number = 0;
  return {
    liveThrough: row => live({ cluster, admin, registry, guests, builder, witness }, row, `life-${++number}`),
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

function followPods(client: Client): Witness {
  const seen = new Map<string, string[]>();
  const informer = createInformer<Pod>({ client, resource: pods, clock: systemClock, log: silentLog });
  informer.subscribe(({ type, object }) => {
    const { uid = '' } = object.metadata;
    const terminated = object.status?.containerStatuses?.[0]?.state?.terminated;
    const words = type === 'deleted' ? 'gone' : `${object.status?.phase} ${exitWords(terminated)}`.trim();
    const list = seen.get(uid) ?? [];
    if (list.at(-1) !== words) list.push(words);
    seen.set(uid, list);
  });
  return { seen, pods: informer };
}

const exitWords = (exit: { exitCode: number; reason?: string } | undefined): string =>
  exit ? `${exit.exitCode} ${exit.reason ?? ''}` : '';

async function live(bench: Bench, row: KillRow, name: string): Promise<Lived> {
  const { admin, guests } = bench;
  const { seen } = bench.witness;
  const { kubeconfig, state, points, runs } = await preparePlaces(bench, name);
  // Its own, so that it is pulled.
  bench.registry.seedImage(`acme/${name}:1`);
  const { metadata } = await admin.create(pods, podOf(row, name, runs));
  const { uid = '' } = metadata;
  const simulated = { path: guests.simulated.path, home: guests.simulated.home };
  const agents = startAgents(
    { kubeconfig, node: NODE, simulated, state, logs: guests.logs, points, ready: join(state, 'ready') },
    row.at,
  );
  await using _ = { [Symbol.asyncDispose]: () => agents.abandon() };
  const ended = () => eventually(() => seen.get(uid)?.some(isTerminal), { what: 'its terminal phase', ...PATIENT });
  if (row.deleted === 'when it has ended') await ended();
  else await eventually(() => linesOf(runs) > 0, { what: 'its process', ...PATIENT });
  if (row.also === 'the API server') await restartApiServer(bench, name);
  else if (row.also) {
    await killBeside(row.also, { uid, state });
    await ended();
  }
  await admin.delete(pods, { namespace, name });
  await eventually(() => seen.get(uid)?.at(-1) === 'gone', { what: 'the end of its object', ...PATIENT });
  // A finished object is deleted immediately, then the agent ends; anything that stays is reported as a leftover.
  const logs = join(guests.logs, `${namespace}_${name}_${uid}`);
  await eventually(() => foldersIn(state).length === 0 && !existsSync(logs), PATIENT).catch(() => undefined);
  const killed = await agents.end();
  return {
    row,
    killed,
    seen: seen.get(uid) ?? [],
    runs: linesOf(runs),
    left: [...(await leftOf(bench, { uid, state, image: imageOf(name) })), ...(existsSync(logs) ? ['logs'] : [])],
    points: readFileSync(points, 'utf8').trim().split('\n'),
  };
}

/**
 * Ends when the witness watches again. A restarted server knows no old versions, so the witness lists the Pods again after its
 * own back-off. It would miss the last status of a Pod that ended and was deleted meanwhile.
 */
async function restartApiServer({ cluster, admin, witness }: Bench, name: string): Promise<void> {
  await cluster.component('kube-apiserver').restart();
  const body = { metadata: { annotations: { [MARK]: 'true' } } };
  await admin.patch(pods, { namespace, name }, { type: 'merge', body });
  const marked = () => witness.pods.cache.get({ namespace, name })?.metadata.annotations?.[MARK];
  await eventually(marked, { what: 'the sight of the Pod', ...PATIENT });
}

function killBeside(who: 'the supervisor' | 'tart run', { uid, state }: { uid: string; state: string }): Promise<void> {
  const id = { uid, attempt: 0 };
  const fits = who === 'tart run' ? isTartRunOf(guestName(id)) : isSupervisorOf(guestDirectory(state, id));
  return killProcesses(fits, systemClock);
}

const linesOf = (file: string): number => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0);

async function preparePlaces({ cluster, guests }: Bench, name: string) {
  const state = join(guests.state, name);
  mkdirSync(state, { recursive: true });
  const { path: kubeconfig } = await cluster.nodeKubeconfig(NODE);
  return { kubeconfig, state, points: join(state, 'points'), runs: join(state, 'runs') };
}

const imageOf = (name: string): string => `ghcr.io/acme/${name}:1`;

function podOf(row: KillRow, name: string, runs: string): Pod {
  // It hears that it shall end before anybody can know that it runs.
  const says = `echo ran >> ${runs}`;
  const script =
    row.deleted === 'while it runs' ? `trap 'exit 7' TERM; ${says}; while :; do sleep 0.1; done` : `${says}; exit 5`;
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

interface Agents {
  /** Stops the last agent cleanly and returns the number of killed ones. */
  end(): Promise<number>;
  /** Leaves none behind, whatever became of them. */
  abandon(): Promise<void>;
}

/** Starts agents one after the other; each but the last kills itself at its configured point. */
function startAgents(task: Omit<MortalTask, 'killAt'>, at: readonly string[]): Agents {
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
      // One that was killed at its last act has the next at work by now, or soon.
      await eventually(() => killed === at.length, { deadline: seconds(5) }).catch(() => undefined);
      await eventually(() => linesOf(task.ready) > 0 && current?.exitCode === null, PATIENT);
      ending = true;
      current?.kill('SIGTERM');
      await following;
      return killed;
    },
    async abandon() {
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

interface Leftovers {
  readonly uid: string;
  readonly state: string;
  readonly image: string;
}

/** Leftovers of the deleted Pod, and foreign objects that are missing; empty if the test passes. */
async function leftOf({ guests, builder }: Bench, { uid, state, image }: Leftovers): Promise<string[]> {
  const vms = readdirSync(join(guests.simulated.home, 'vms'));
  const slots = readFileSync(join(state, 'slots'), 'utf8').trim().split('\n').at(-1) ?? '';
  const isOfIt = ({ command }: { readonly command: string }): boolean =>
    command.includes(uid) || command.includes(image);
  const lives = async (): Promise<boolean> => (await listProcesses()).some(isOfIt);
  // A process that was killed may be listed for a moment more.
  const quiet = await eventually(async () => !(await lives()), { deadline: seconds(5) }).catch(() => false);
  return [
    ...vms.filter(vm => vm.includes(uid)).map(vm => `VM ${vm}`),
    ...foldersIn(state).map(folder => `folder ${folder}`),
    ...(quiet ? [] : ['a process']),
    ...(slots === '0 held, 0 waiting' ? [] : [`slots: ${slots}`]),
    ...(vms.includes('builder') && vms.includes('golden') ? [] : ['a foreign VM is gone']),
    ...(builder.process.exitCode === null ? [] : ['a foreign VM was stopped']),
  ];
}
