/**
 * Runs a real executable as a job of a simulated Mac. It runs on this machine and uses its own Mac's programs, files
 * and address.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ENTERS_NETWORK } from '../../tart/guest/screen/serve-screen.ts';
import { contentHash } from '../files/content.ts';
import { type JobProgram, type JobStart, realProgram } from '../launchd/job-program.ts';
import { type Mac, type SessionType, root as superuser } from '../mac.ts';

import { type RealPaths, realFolder, realPaths } from './real-folder.ts';

/** One address of a host network, and how to start a program there. */
export interface AgentNetwork {
  readonly address: string;
  inside(argv: readonly string[]): [string, ...string[]];
}

export interface AgentOnMacOptions {
  /**
   * The Mac's real folder: a short path, empty, and used only by this installation of the Mac. The caller removes it.
   */
  readonly directory: string;
  /** The real executable (default: the file installed on the Mac, which must be executable on this machine). */
  readonly binary?: string;
  /** Flags before the job's own. They override the agent's defaults, which are paths of a real Mac. */
  readonly flags?: readonly string[];
  readonly network?: AgentNetwork;
  /** Folders whose files are copied from the Mac. */
  readonly mirrored?: readonly string[];
  /** Added to the job's variables, with paths of this machine: `TART_HOME`. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly session?: SessionType;
}

export function agentOnMac(mac: Mac, options: AgentOnMacOptions): JobProgram {
  const paths = realPaths(options.directory);
  const folder = realFolder(mac, {
    paths,
    mirrored: options.mirrored ?? ['/etc/tart-kubelet'],
    caller: { session: options.session ?? 'launchd', address: options.network?.address },
  });
  const executables = new Set<string>();
  mac.onShutDown(() => {
    // First, so that no agent can record the end of its guests: the Mac loses power.
    for (const executable of executables) killLeftBehind(executable, paths.root);
    folder.close();
  });
  return realProgram(start => {
    folder.prepare(start);
    const binary = realpathSync(options.binary ?? writtenOut(mac, start, paths.root));
    executables.add(binary);
    const [file, ...words] = commandLine(binary, start, { ...options, paths });
    return {
      file: found(file),
      arguments: words,
      environment: { ...mapped(start.environment, paths), ...networkOf(options), ...options.environment },
      directory: join(paths.root, start.directory),
    };
  });
}

function commandLine(
  binary: string,
  start: JobStart,
  { flags = [], network, paths }: AgentOnMacOptions & { readonly paths: RealPaths },
): [string, ...string[]] {
  const address =
    network && !start.argv.some(word => word.startsWith('--node-ip')) ? [`--node-ip=${network.address}`] : [];
  const words = [...flags, ...address, ...start.argv.slice(1)].map(word => paths.toReal(word));
  return network ? network.inside([binary, ...words]) : [binary, ...words];
}

/** Lets Tart, a real process outside the agent's network namespace, serve screens on the agent's loopback. */
function networkOf({ network }: AgentOnMacOptions): Record<string, string> {
  if (!network) return {};
  const [file, ...words] = network.inside([]);
  return { [ENTERS_NETWORK]: [found(file), ...words].join(' ') };
}

const mapped = (environment: JobStart['environment'], { toReal }: RealPaths): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, toReal(value)]));

/**
 * Writes out the program that is on the Mac now, so that the next start after an update runs the new one. One file per
 * content.
 */
function writtenOut(mac: Mac, { argv: [program = ''] }: JobStart, root: string): string {
  const content = mac.files.read(superuser, program);
  const path = join(root, `.program-${contentHash(content).slice(0, 16)}`);
  if (!existsSync(path)) writeFileSync(path, content, { mode: 0o755 });
  return path;
}

/** Searched in this process's PATH: the job's PATH is the Mac's and contains no programs of this machine (`ip`). */
function found(file: string): string {
  if (file.includes('/')) return file;
  const places = (process.env['PATH'] ?? '').split(delimiter).map(directory => join(directory, file));
  return places.find(place => existsSync(place)) ?? file;
}

/**
 * Kills processes that a job deliberately left running (a supervisor that outlives its agent) when its Mac loses power.
 * They are identified by their executable and by a path of the Mac's real folder in their arguments or variables.
 * Without /proc, none are found.
 */
function killLeftBehind(executable: string, root: string): void {
  for (const pid of pidsHere()) if (isOf(pid, executable, root)) kill(pid);
}

function pidsHere(): number[] {
  try {
    return readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function isOf(pid: number, executable: string, root: string): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`);
    // The executable of a script is its interpreter; the script is among the arguments.
    if (!readlinkSync(`/proc/${pid}/exe`).startsWith(executable) && !words.includes(executable)) return false;
    return words.includes(`${root}/`) || readFileSync(`/proc/${pid}/environ`).includes(`${root}/`);
  } catch {
    // The process exited in the meantime, or belongs to another user.
    return false;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already exited.
  }
}
