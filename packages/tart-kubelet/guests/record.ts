/** Files of a guest, written before it exists and after it ends: the source of truth after a crash. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DurableOptions, renameDurably, writeDurably } from '../durable/write-durably.ts';
import type { GuestExit, GuestId, GuestScreen, GuestSpec } from './guest.ts';
import { guestKey } from './guest-name.ts';

const VERSION = 1;

export interface GuestRecord {
  readonly spec: GuestSpec;
  /** Used by the supervisor, which outlives the agent that started it. */
  readonly tart: { readonly path: string; readonly home: string };
  /** Boot id of the host at the start of the run; absent in older records. */
  readonly boot?: string | undefined;
}

/** Files of a guest's folder. `run.json` claims the guest's single run: the process that creates it runs the guest. */
export const RECORD = 'record.json';
export const EXIT = 'exit.json';
export const RUN = 'run.json';
export const SOCKET = 's.sock';
/** Pid and process group of `tart run`. Not flushed: nothing runs after a power cut. */
export const VM_PID = 'vm.pid';
/** The only file with a secret of the guest: readable only by this user, and removed with the guest. */
export const SCREEN = 'screen.json';

export const guestsDirectory = (state: string): string => join(state, 'guests');
export const guestDirectory = (state: string, id: GuestId): string => join(guestsDirectory(state), guestKey(id));

/** Distinguishes a corrupt file from a missing one: only a missing file means that nothing has happened. */
type RecordRead<T> =
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

export const readRecord = (directory: string): Promise<RecordRead<GuestRecord>> =>
  readVersioned(join(directory, RECORD), content => (isRecord(content) ? content : undefined));

export const readExit = (directory: string): Promise<RecordRead<GuestExit>> =>
  readVersioned(join(directory, EXIT), content => (isExit(content['exit']) ? content['exit'] : undefined));

export const readScreen = (directory: string): Promise<RecordRead<GuestScreen>> =>
  readVersioned(join(directory, SCREEN), content => (isScreen(content['screen']) ? content['screen'] : undefined));

export async function readVmPid(directory: string): Promise<number | undefined> {
  const pid = Number(await readFile(join(directory, VM_PID), 'utf8').catch(() => ''));
  return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
}

/** Renames an unreadable file, to keep it for the operator. */
export async function quarantine(directory: string, file: string, now: number): Promise<string> {
  const aside = join(directory, `${file}.corrupt-${now}`);
  await renameDurably(join(directory, file), aside);
  return aside;
}

type RecordContent = Readonly<Record<string, unknown>>;

async function readVersioned<T>(
  path: string,
  accept: (content: RecordContent) => T | undefined,
): Promise<RecordRead<T>> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { found: 'missing' };
    return { found: 'corrupt', why: (error as Error).message };
  }
  const content = parseJson(text);
  if (!isObject(content)) return { found: 'corrupt', why: 'it is not a JSON object' };
  if (content['version'] !== VERSION) return { found: 'corrupt', why: `its version is not ${VERSION}` };
  const value = accept(content);
  return value === undefined ? { found: 'corrupt', why: 'fields are missing' } : { found: 'whole', value };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is RecordContent => typeof value === 'object' && value !== null;

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
