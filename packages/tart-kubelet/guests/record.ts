/** What is written of a guest before it exists, and what it leaves: the truth after any crash. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DurableOptions, renameDurably, writeDurably } from '../durable/write-durably.ts';
import type { GuestExit, GuestId, GuestScreen, GuestSpec } from './guest.ts';
import { guestKey } from './guest-name.ts';

const VERSION = 1;

export interface GuestRecord {
  readonly spec: GuestSpec;
  /** For its supervisor, which outlives the agent that started it. */
  readonly tart: { readonly path: string; readonly home: string };
  /** Which boot of the host it was begun in; none in records from before this was kept. */
  readonly boot?: string | undefined;
}

/** The files of one guest's folder. `run.json` is the claim to its one run: whoever creates it, runs it. */
export const RECORD = 'record.json';
export const EXIT = 'exit.json';
export const RUN = 'run.json';
export const SOCKET = 's.sock';
/** Of `tart run` and its group. Not flushed: after a power cut nothing runs. */
export const VM_PID = 'vm.pid';
/** The one file with a secret of the guest: for this user only, and gone with the guest. */
export const SCREEN = 'screen.json';

export const guestsDirectory = (state: string): string => join(state, 'guests');
export const guestDirectory = (state: string, id: GuestId): string => join(guestsDirectory(state), guestKey(id));

/** A file that is there and says nothing is told apart from one that is missing: only the second is as if nothing had happened. */
type Read<T> =
  | { readonly found: 'whole'; readonly value: T }
  | { readonly found: 'missing' }
  | { readonly found: 'corrupt'; readonly why: string };

export const writeRecord = (directory: string, record: GuestRecord, options?: DurableOptions): Promise<void> =>
  writeDurably(join(directory, RECORD), `${JSON.stringify({ version: VERSION, ...record }, undefined, 2)}\n`, options);

export const writeExit = (directory: string, exit: GuestExit, options?: DurableOptions): Promise<void> =>
  writeDurably(join(directory, EXIT), `${JSON.stringify({ version: VERSION, exit }, undefined, 2)}\n`, options);

export const writeScreen = (directory: string, screen: GuestScreen, options?: DurableOptions): Promise<void> =>
  writeDurably(join(directory, SCREEN), `${JSON.stringify({ version: VERSION, screen })}\n`, {
    ...options,
    mode: 0o600,
  });

export const readRecord = (directory: string): Promise<Read<GuestRecord>> =>
  readVersioned(join(directory, RECORD), content => (isRecord(content) ? content : undefined));

export const readExit = (directory: string): Promise<Read<GuestExit>> =>
  readVersioned(join(directory, EXIT), content => (isExit(content['exit']) ? content['exit'] : undefined));

export const readScreen = (directory: string): Promise<Read<GuestScreen>> =>
  readVersioned(join(directory, SCREEN), content => (isScreen(content['screen']) ? content['screen'] : undefined));

export async function readVmPid(directory: string): Promise<number | undefined> {
  const pid = Number(await readFile(join(directory, VM_PID), 'utf8').catch(() => ''));
  return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
}

/** Puts a file nobody can read aside, for a person to look at. */
export async function quarantine(directory: string, file: string, now: number): Promise<string> {
  const aside = join(directory, `${file}.corrupt-${now}`);
  await renameDurably(join(directory, file), aside);
  return aside;
}

type Content = Readonly<Record<string, unknown>>;

async function readVersioned<T>(path: string, accept: (content: Content) => T | undefined): Promise<Read<T>> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { found: 'missing' };
    return { found: 'corrupt', why: (error as Error).message };
  }
  const content = parsed(text);
  if (!isObject(content)) return { found: 'corrupt', why: 'it is not a JSON object' };
  if (content['version'] !== VERSION) return { found: 'corrupt', why: `its version is not ${VERSION}` };
  const value = accept(content);
  return value === undefined ? { found: 'corrupt', why: 'fields are missing' } : { found: 'whole', value };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Content => typeof value === 'object' && value !== null;

const isRecord = (content: unknown): content is GuestRecord =>
  isObject(content) &&
  isObject(content['tart']) &&
  isObject(content['spec']) &&
  isObject(content['spec']['id']) &&
  typeof content['spec']['image'] === 'string' &&
  typeof content['spec']['logFile'] === 'string' &&
  typeof content['spec']['bootWithin'] === 'number' &&
  Array.isArray(content['spec']['shares']);

const isExit = (value: unknown): value is GuestExit =>
  isObject(value) &&
  typeof value['exitCode'] === 'number' &&
  typeof value['reason'] === 'string' &&
  typeof value['message'] === 'string' &&
  typeof value['finishedAt'] === 'number';

const isScreen = (value: unknown): value is GuestScreen =>
  isObject(value) &&
  typeof value['host'] === 'string' &&
  typeof value['port'] === 'number' &&
  typeof value['password'] === 'string';
