/** A real executable as a job of a simulated Mac: it runs here, and finds its own Mac's programs, files and address. */
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ENTERS_NETWORK } from '../../tart/guest/screen/serve-screen.ts';
import { contentHash } from '../files/content.ts';
import { type JobProgram, type JobStart, realProgram } from '../launchd/job-program.ts';
import { type Mac, type SessionType, root as superuser } from '../mac.ts';

import { type RealPaths, realFolder, realPaths } from './real-folder.ts';

/** One address of a host network, and how a program is started there. */
export interface AgentNetwork {
  readonly address: string;
  inside(argv: readonly string[]): [string, ...string[]];
}

export interface AgentOnMacOptions {
  /** The Mac's real folder: short, empty, and of this installation of the Mac alone. The caller removes it. */
  readonly directory: string;
  /** The real executable; without it, the file that is installed on the Mac, which must then be one of this machine. */
  readonly binary?: string;
  /** Flags before the job's own: what the agent assumes when nobody says, for its default paths are those of a real Mac. */
  readonly flags?: readonly string[];
  readonly network?: AgentNetwork;
  /** Folders whose files are copied from the Mac. */
  readonly mirrored?: readonly string[];
  /** Added to the job's, with paths of this machine: `TART_HOME`. */
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
    // First, so that none sees its guests end and has time to write that down: power is lost.
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

/** So that Tart, which is a real process outside of it, serves screens on the loopback the agent has. */
function networkOf({ network }: AgentOnMacOptions): Record<string, string> {
  if (!network) return {};
  const [file, ...words] = network.inside([]);
  return { [ENTERS_NETWORK]: [found(file), ...words].join(' ') };
}

const mapped = (environment: JobStart['environment'], { toReal }: RealPaths): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, toReal(value)]));

/** The program as it is on the Mac now: after a roll the next start runs the new one. Once for each content. */
function writtenOut(mac: Mac, { argv: [program = ''] }: JobStart, root: string): string {
  const content = mac.files.read(superuser, program);
  const path = join(root, `.program-${contentHash(content).slice(0, 16)}`);
  if (!existsSync(path)) writeFileSync(path, content, { mode: 0o755 });
  return path;
}

/** Looked up in this process's PATH: that of the job is the Mac's, and has none of this machine's programs (`ip`). */
function found(file: string): string {
  if (file.includes('/')) return file;
  const places = (process.env['PATH'] ?? '').split(delimiter).map(directory => join(directory, file));
  return places.find(place => existsSync(place)) ?? file;
}

/**
 * Kills what a job left running on purpose (a supervisor that outlives its agent) when its Mac loses power. It is known
 * by its executable and by a path of the Mac's real folder among its words or variables. Without /proc nothing is found.
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
    // A script's executable is its interpreter; the script is among the words.
    if (!readlinkSync(`/proc/${pid}/exe`).startsWith(executable) && !words.includes(executable)) return false;
    return words.includes(`${root}/`) || readFileSync(`/proc/${pid}/environ`).includes(`${root}/`);
  } catch {
    // It ended while we looked, or is none of ours to look at.
    return false;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was faster.
  }
}
