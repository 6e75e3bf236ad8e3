import { existsSync, readFileSync, rmSync } from 'node:fs';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CliContext } from '@minifleet/cli';
import { ALREADY_UP } from '../errors.ts';
import { sendControlRequest } from './control-socket.ts';

/** State file of the running `up`, for other commands. There is one per state directory. */
interface UpState {
  readonly pid: number;
  readonly kubeconfig: string;
  /** Folder for PATH. */
  readonly tools: string;
  /** Path of the control socket. */
  readonly control: string;
}

export interface RunningUp extends UpState {
  /** True when fleets and runners have started. */
  readonly ready: boolean;
}

const fileIn = (stateDirectory: string): string => join(stateDirectory, 'up.json');

/** Returns false, and keeps the existing file, if there is one. */
export async function writeUpState(stateDirectory: string, state: UpState): Promise<boolean> {
  const file = fileIn(stateDirectory);
  const part = `${file}.${state.pid}`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // A link is atomic: readers get the whole file or none, and one of two concurrent writers wins.
  await writeFile(part, JSON.stringify(state), { mode: 0o600 });
  try {
    await link(part, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // An unreadable file would block every later start.
    if (!readUpState(stateDirectory)) rmSync(file, { force: true });
    return false;
  } finally {
    await rm(part);
  }
}

/** Reads the state file, which may belong to a killed `up`. Only its control socket proves that it runs. */
export function readUpState(stateDirectory: string): UpState | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(stateDirectory), 'utf8')) as UpState;
  } catch {
    return undefined;
  }
}

/** Removes the state file, unless it belongs to another `up` by now. */
export function removeUpState(stateDirectory: string, { control }: Pick<UpState, 'control'>): void {
  if (readUpState(stateDirectory)?.control === control) rmSync(fileIn(stateDirectory), { force: true });
}

/** Returns the kubeconfig of the running `up`. A killed `up` leaves its state file here but no kubeconfig. */
export function runningKubeconfig(stateDirectory: string): string | undefined {
  const kubeconfig = readUpState(stateDirectory)?.kubeconfig;
  return kubeconfig !== undefined && existsSync(kubeconfig) ? kubeconfig : undefined;
}

type WithStateDirectory = Pick<CliContext, 'stateDirectory'>;

/** Returns the running `up`, and removes the state file of a killed one. */
export async function findRunningUp({ stateDirectory }: WithStateDirectory): Promise<RunningUp | undefined> {
  const state = readUpState(stateDirectory);
  if (!state) return undefined;
  for await (const { ready } of (await sendControlRequest<{ ready: boolean }>(state.control, 'status')) ?? []) {
    return { ...state, ready };
  }
  removeUpState(stateDirectory, state);
  return undefined;
}

export async function requireNoOtherUp(context: WithStateDirectory): Promise<void> {
  const other = await findRunningUp(context);
  if (other) throw ALREADY_UP({ pid: other.pid, kubeconfig: other.kubeconfig });
}

/** Writes the state file. Of two `up` that start at the same time, the later one is rejected here. */
export async function claimUpState(context: WithStateDirectory, state: UpState): Promise<void> {
  while (!(await writeUpState(context.stateDirectory, state))) await requireNoOtherUp(context);
}
