import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LEAN_PROCESS } from '@minifleet/kube';
import { spawnLeashed, type World } from '@minifleet/world';
import type { UpCluster } from '../cluster/up-cluster.ts';
import type { ServiceAccountTokens } from './grant-access.ts';

interface StartProgramsOptions {
  readonly cluster: UpCluster;
  readonly world: World;
  /** Path of the fleet file with the desired state of hosts. */
  readonly fleetFile: string;
  readonly tokens: ServiceAccountTokens;
}

interface RunningProgram {
  readonly logFile: string;
  /** Resolves to the exit code. The program ends only after `stop`, or by a failure. */
  readonly ended: Promise<number | null>;
  stop(): Promise<void>;
}

export interface RunningPrograms {
  readonly provider: RunningProgram;
  readonly runners: RunningProgram;
  /** Resolves when one of the programs ends, which is a failure before `stop`. */
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts provider and runners as separate processes, as a cluster runs them. */
export async function startPrograms(options: StartProgramsOptions): Promise<RunningPrograms> {
  const provider = await startProvider(options);
  const runners = await startRunners(options);
  return {
    provider,
    runners,
    ended: Promise.race([provider.ended, runners.ended]),
    async stop() {
      await Promise.all([runners.stop(), provider.stop()]);
    },
  };
}

/** Intervals that are shorter than the defaults, so that a user of `up` sees a reaction within seconds. */
const FAST_PROVIDER = [
  // Find a fault on a Mac (default: 10 minutes).
  '--inspect-every=20s',
  // Retry a Mac that was repaired by hand (default: 30 minutes).
  '--roll-retry-after=20s',
  // Report a Pod that stays Terminating (default: 10 minutes).
  '--stuck-after=20s',
  // Find new servers and changed ones (default: 1 minute).
  '--discovery-interval=20s',
];

/** For templates without a pool. */
const DEFAULT_POOL = '--default-adopt-pool-prefix=tuist-pool-';

function startProvider({ cluster, world, fleetFile, tokens }: StartProgramsOptions): Promise<RunningProgram> {
  const { accessKey, secretKey, defaultProjectId, apiURL } = world.scaleway.apiFor();
  return startProgram({
    cluster,
    token: tokens.provider,
    program: 'provider',
    flags: [
      `--fleet-file=${fleetFile}`,
      `--vendor-api-url=${apiURL}`,
      `--forge-api-url=${world.github.url}`,
      `--ssh-address-file=${world.sshAddressFile}`,
      ...FAST_PROVIDER,
      DEFAULT_POOL,
    ],
    environment: { SCW_ACCESS_KEY: accessKey, SCW_SECRET_KEY: secretKey, SCW_DEFAULT_PROJECT_ID: defaultProjectId },
  });
}

/** Shows the start of a job sooner (default: 30 seconds). */
const FAST_RUNNERS = '--forge-look-every=3s';

const startRunners = ({ cluster, world, tokens }: StartProgramsOptions): Promise<RunningProgram> =>
  startProgram({
    cluster,
    token: tokens.runners,
    program: 'runners',
    flags: [`--forge-api-url=${world.github.url}`, FAST_RUNNERS],
  });

interface StartProgramOptions {
  readonly program: 'provider' | 'runners';
  readonly cluster: UpCluster;
  /** Token of the program's ServiceAccount. */
  readonly token: string;
  readonly flags: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts a program that ends with this process at the latest. */
async function startProgram(options: StartProgramOptions): Promise<RunningProgram> {
  const { program, cluster, flags, environment } = options;
  const main = fileURLToPath(new URL(`../../../${program}/main.ts`, import.meta.url));
  const kubeconfig = `--kubeconfig=${await writeKubeconfig(options)}`;
  const argv = [process.execPath, ...LEAN_PROCESS.nodeFlags, main, kubeconfig, '--bind-address=127.0.0.1:0', ...flags];
  const cache = { NODE_COMPILE_CACHE: getCompileCacheDir() ?? '' };
  const child = spawnLeashed(argv, { environment: { ...LEAN_PROCESS.environment, ...cache, ...environment } });
  const logFile = join(cluster.directory, `${program}.log`);
  const log = createWriteStream(logFile);
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve));
  return {
    logFile,
    ended,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      log.end();
    },
  };
}

/** Uses the API server address of the Macs, because the provider passes it to them in the join configuration. */
async function writeKubeconfig({ program, cluster, token }: StartProgramOptions): Promise<string> {
  const path = join(cluster.directory, `${program}.kubeconfig`);
  const { server, certificateAuthority: authority } = cluster;
  const trust = authority ? { 'certificate-authority-data': Buffer.from(authority).toString('base64') } : {};
  const text = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'up', cluster: { server, ...trust } }],
    users: [{ name: program, user: { token } }],
    contexts: [{ name: 'up', context: { cluster: 'up', user: program } }],
    'current-context': 'up',
  });
  await writeFile(path, text, { mode: 0o600 });
  return path;
}
