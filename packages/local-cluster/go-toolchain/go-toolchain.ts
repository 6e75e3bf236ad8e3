/** Finds a go command that builds the cluster's programs: the installed one, or a pinned toolchain in the cache. */
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '../environment.ts';
import { goUnavailable } from '../errors.ts';
import type { ProgressStep, Reporter } from '../progress/reporter.ts';
import { downloadFromProxy, isDiskFull, type ProxyDownload } from './module-proxy.ts';
import { extractZip, hashZip, readZip, type ZipEntry } from './module-zip.ts';

/** The newest `go` line of the go.mod files under `go/`. */
export const MINIMUM_GO = '1.26.4';
const PINNED_GO = '1.26.8';

/** Hashes from the Go checksum database (sum.golang.org): they change only together with PINNED_GO. */
const PINNED_HASHES: Readonly<Record<string, string>> = {
  'darwin-amd64': 'h1:7/9KPPN8PckcA9s91hm2jmQMhzW4KyTJXHIs45L0C9M=',
  'darwin-arm64': 'h1:dFjGhY6f8DTsY8/rLchUTDRRfjJP4pCrGCwxvHFT2Fg=',
  'linux-amd64': 'h1:ZOmGe1OnfREDMIdb1Qi4G9JSuDPBLGExZMQ4nis1RXM=',
  'linux-arm64': 'h1:sYL/O6MqS68ML0kjsQ36WoYIpJqkw60TxizWUYUKQMc=',
};

/** Zip file (70 MB) and unpacked toolchain (230 MB) are on the disk together for a moment. */
const BYTES_NEEDED = 320 << 20;
const MEGABYTE = 1 << 20;

export type GoCommand = {
  readonly program: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
};

/** Replaced in tests. */
export type ToolchainDeps = {
  readonly hashes?: Readonly<Record<string, string>>;
  readonly freeBytes?: (directory: string) => Promise<number>;
  readonly retryPause?: ProxyDownload['retryPause'];
};

/** Returns the installed go if it is new enough, else the pinned toolchain, which is downloaded on first use. */
export async function findGo(
  environment: Environment,
  reporter: Reporter,
  deps: ToolchainDeps = {},
): Promise<GoCommand> {
  const { variables } = environment;
  const installed = await installedVersion(environment);
  if (isNewEnough(installed)) return { program: 'go', variables };
  const folder = path.join(environment.cacheDirectory, 'go', `go${PINNED_GO}-${environment.os}-${environment.arch}`);
  const program = path.join(folder, 'bin', 'go');
  if (!(await exists(program))) {
    const why = installed === '' ? 'Go is not installed' : `${installed.trim()} is older than ${MINIMUM_GO}`;
    const step = reporter.step(`Go ${PINNED_GO} toolchain (${why})`);
    try {
      const proxy = await installToolchain({ environment, folder, step, deps });
      step.done(`downloaded from ${proxy}`);
    } catch (error) {
      step.failed('failed');
      throw error;
    }
  }
  return { program, variables: toolchainVariables(environment) };
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** Empty when there is no go command. */
async function installedVersion({ variables, temporaryDirectory }: Environment): Promise<string> {
  try {
    // Away from any go.mod, so that the command reports its own version and downloads nothing.
    const options = { env: variables, cwd: temporaryDirectory };
    return (await promisify(execFile)('go', ['env', 'GOVERSION'], options)).stdout;
  } catch {
    return '';
  }
}

export function isNewEnough(version: string): boolean {
  const numbers = (text: string) =>
    (/(\d+)\.(\d+)(?:\.(\d+))?/.exec(text)?.slice(1) ?? []).map(part => Number(part ?? 0));
  const [found, minimum] = [numbers(version), numbers(MINIMUM_GO)];
  const difference = minimum.map((part, index) => (found[index] ?? 0) - part).find(part => part !== 0);
  return found.length > 0 && (difference ?? 0) >= 0;
}

/**
 * Keeps everything the downloaded toolchain writes in the cache directory, writable, so that removing the directory
 * removes all of it. Settings of the user win, except those that would select another toolchain.
 */
function toolchainVariables({ variables, cacheDirectory }: Environment): GoCommand['variables'] {
  const { GOROOT: _, ...rest } = variables;
  return {
    GOPATH: path.join(cacheDirectory, 'go', 'path'),
    GOCACHE: path.join(cacheDirectory, 'go', 'build'),
    ...rest,
    GOTOOLCHAIN: 'local',
    GOFLAGS: [rest['GOFLAGS'], '-modcacherw'].filter(Boolean).join(' '),
  };
}

type Installation = {
  readonly environment: Environment;
  readonly folder: string;
  readonly step: ProgressStep;
  readonly deps: ToolchainDeps;
};

/** Downloads, verifies and unpacks beside the folder, then renames: the folder is whole or absent. */
async function installToolchain({ environment, folder, step, deps }: Installation): Promise<string> {
  const platform = `${environment.os}-${environment.arch}`;
  const hash = (deps.hashes ?? PINNED_HASHES)[platform];
  if (hash === undefined)
    throw goUnavailable(`Go ${PINNED_GO} has no pinned toolchain for ${platform}`, `Install Go ${MINIMUM_GO} or newer`);
  const parent = path.dirname(folder);
  await mkdir(parent, { recursive: true });
  await removeLeftovers(folder);
  await checkSpace(parent, deps);
  const temporary = await mkdtemp(`${folder}${PARTIAL}`);
  try {
    const zip = path.join(temporary, 'toolchain.zip');
    const module = `golang.org/toolchain@v0.0.1-go${PINNED_GO}.${platform}`;
    const proxy = await download(zip, module, { environment, step, deps });
    step.update('verifying');
    const entries = verifiedEntries(await readFile(zip), hash, proxy);
    await rm(zip);
    step.update('unpacking');
    const unpacked = path.join(temporary, 'go');
    await extractZip(entries, `${module}/`, unpacked);
    await verifyRuns(path.join(unpacked, 'bin', 'go'), environment);
    await rename(unpacked, folder);
    return proxy;
  } catch (error) {
    throw isDiskFull(error) ? diskFull(parent, 'the disk is full', error) : error;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

const PARTIAL = '.partial-';

/** Removes what a killed run left. The cache lock ensures that no other process is installing. */
async function removeLeftovers(folder: string): Promise<void> {
  const parent = path.dirname(folder);
  const leftovers = (await readdir(parent)).filter(name => name.startsWith(`${path.basename(folder)}${PARTIAL}`));
  await Promise.all(leftovers.map(name => rm(path.join(parent, name), { recursive: true, force: true })));
}

async function checkSpace(directory: string, deps: ToolchainDeps): Promise<void> {
  const free = await (deps.freeBytes ?? freeBytes)(directory);
  if (free < BYTES_NEEDED) throw diskFull(directory, `${Math.floor(free / MEGABYTE)} MB are free`);
}

async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

function diskFull(directory: string, why: string, cause?: unknown): Error {
  return goUnavailable(
    `Go ${PINNED_GO} needs ${BYTES_NEEDED / MEGABYTE} MB in ${directory} (${why})`,
    'Free some space, or set XDG_CACHE_HOME to a folder on a larger disk',
    cause,
  );
}

type DownloadOptions = Omit<Installation, 'folder'>;

async function download(to: string, module: string, { environment, step, deps }: DownloadOptions): Promise<string> {
  step.update('downloading');
  try {
    return await downloadFromProxy({
      path: `${module.replace('@', '/@v/')}.zip`,
      to,
      variables: environment.variables,
      onProgress: (received, total) => step.update(`downloading: ${share(received, total)}`),
      ...(deps.retryPause === undefined ? {} : { retryPause: deps.retryPause }),
    });
  } catch (error) {
    if (isDiskFull(error)) throw error;
    throw goUnavailable(
      `Go ${PINNED_GO} could not be downloaded (${error instanceof Error ? error.message : String(error)})`,
      `Check the network, set GOPROXY to a Go module proxy you can reach, or install Go ${MINIMUM_GO} or newer`,
      error,
    );
  }
}

function share(received: number, total: number | undefined): string {
  const megabytes = (bytes: number) => Math.round(bytes / MEGABYTE);
  return total === undefined ? `${megabytes(received)} MB` : `${megabytes(received)} of ${megabytes(total)} MB`;
}

function verifiedEntries(zip: Buffer, hash: string, proxy: string): ZipEntry[] {
  const next = `Use another Go module proxy (GOPROXY=https://proxy.golang.org), or install Go ${MINIMUM_GO} or newer`;
  try {
    const entries = readZip(zip);
    const actual = hashZip(entries);
    if (actual === hash) return entries;
    throw new Error(`checksum ${actual}, pinned ${hash}`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw goUnavailable(`Go ${PINNED_GO} from ${proxy} was discarded (${why})`, next, error);
  }
}

async function verifyRuns(program: string, environment: Environment): Promise<void> {
  try {
    await promisify(execFile)(program, ['version'], { env: toolchainVariables(environment) });
  } catch (error) {
    const why = error instanceof Error ? error.message.trim() : String(error);
    throw goUnavailable(
      `Go ${PINNED_GO} was downloaded but does not run (${why})`,
      `Check that programs may run from ${environment.cacheDirectory}, or install Go ${MINIMUM_GO} or newer`,
      error,
    );
  }
}
