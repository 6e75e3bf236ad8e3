/** Tart's command line as typed calls. Only this file knows its arguments, and only `tart-error.ts` its messages. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type Duration, milliseconds, minutes, seconds } from '@minifleet/clock';
import { exists } from '../durable/write-durably.ts';
import { type CallTartOptions, callTart, type OnTartCall, type TartCall } from './call-tart.ts';
import type { GuestSpec } from './guest.ts';
import { isTartError, TartError } from './tart-error.ts';

export interface TartVm {
  readonly name: string;
  readonly running: boolean;
  /** A guest of the previous system, which this agent took over. */
  readonly inherited?: boolean;
  /** Disk usage reported by Tart, including blocks shared with its image. */
  readonly bytes: number;
}

export interface TartImage {
  /** `repo@sha256:…` or `repo:tag`, as Tart lists it. */
  readonly name: string;
  readonly bytes: number;
}

export interface RegistryCredentials {
  readonly hostname: string;
  readonly username: string;
  readonly password: string;
}

interface TartPullOptions {
  readonly credentials?: RegistryCredentials | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (line: string) => void;
}

/** Every failure is a TartError with a kind. */
export interface TartCli {
  version(): Promise<string>;
  vms(): Promise<readonly TartVm[]>;
  images(): Promise<readonly TartImage[]>;
  /** Resolves a name to its current digest: `repo@sha256:…`. */
  digestOf(image: string): Promise<string | undefined>;
  pull(image: string, options: TartPullOptions): Promise<void>;
  /** Fails with `exists` if the name is taken: Tart would silently replace that VM, even a running one. */
  clone(source: string, name: string, options?: { readonly signal?: AbortSignal }): Promise<void>;
  set(name: string, settings: TartSettings): Promise<void>;
  /** Undefined if the guest has no address yet. */
  addressOf(name: string): Promise<string | undefined>;
  /** Cuts the power. Succeeds if the VM is already stopped or gone. */
  stop(name: string, within: Duration): Promise<void>;
  /** Succeeds if the VM is already gone. */
  delete(name: string): Promise<void>;
}

interface TartSettings {
  readonly cpus?: number | undefined;
  readonly memoryMegabytes?: number | undefined;
  readonly freshIdentity?: boolean | undefined;
}

/** Time limit of each command (facts 2.9). */
export interface TartLimits {
  readonly read: Duration;
  readonly change: Duration;
  readonly clone: Duration;
  readonly delete: Duration;
  readonly pull: Duration;
}

const DEFAULT_TART_LIMITS: TartLimits = {
  read: seconds(30),
  change: minutes(1),
  clone: minutes(5),
  delete: minutes(5),
  // Tens of gigabytes over a slow line; callers watch the progress and abort by signal.
  pull: minutes(12 * 60),
};

export interface TartOptions {
  readonly path: string;
  /** `TART_HOME`: parent folder of the bundles. */
  readonly home: string;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly limits?: Partial<TartLimits>;
  readonly onCall?: OnTartCall | undefined;
}

/** Disables Tart's automatic pruning, which would remove images behind the agent's disk accounting. */
export const tartEnvironment = (
  environment: TartOptions['environment'],
  home: string,
): Record<string, string | undefined> => ({ ...environment, TART_HOME: home, TART_NO_AUTO_PRUNE: '1' });

export const bundlePath = (home: string, name: string): string => join(home, 'vms', name);

/** Socket of the guest agent, while the VM runs. */
export const controlSocket = (home: string, name: string): string => join(bundlePath(home, name), 'control.sock');

export function createTart(options: TartOptions): TartCli {
  const { path, home, clock, onCall } = options;
  const limits = { ...DEFAULT_TART_LIMITS, ...options.limits };
  const calling: CallTartOptions = { path, clock, onCall, environment: tartEnvironment(options.environment, home) };
  const call = (argv: TartCall['argv'], within: Duration, more: Partial<TartCall> = {}): Promise<string> =>
    callTart(calling, { ...more, argv, within });
  const list = (source: 'local' | 'oci') => call(['list', '--source', source, '--format', 'json'], limits.read);
  return {
    version: async () => (await call(['--version'], limits.read)).trim(),
    vms: async () => parseVms(await list('local')),
    images: async () => parseImages(await list('oci')),
    digestOf: async image => unlessNotFound(async () => (await call(['fqn', image], limits.read)).trim() || undefined),
    async pull(image, { credentials, signal, onProgress }) {
      const environment = credentials ? registryEnvironment(credentials) : {};
      await call(['pull', image], limits.pull, { signal, environment, onLine: onProgress });
    },
    async clone(source, name, { signal } = {}) {
      // Includes incomplete bundles, which `list` does not show.
      if (await exists(bundlePath(home, name))) throw alreadyExists(name);
      await call(['clone', source, name], limits.clone, { signal });
    },
    set: (name, settings) =>
      setAndVerify({ bundle: bundlePath(home, name), name, settings, set: argv => call(argv, limits.change) }),
    addressOf: name => unlessNoAddress(async () => (await call(['ip', name], limits.read)).trim() || undefined),
    async stop(name, within) {
      const timeout = Math.max(1, Math.ceil(within / 1_000));
      const argv = ['stop', name, '--timeout', `${timeout}`] as const;
      await unlessStopped(() => call(argv, milliseconds(timeout * 1_000 + limits.read)));
    },
    delete: name => unlessNotFound(async () => void (await call(['delete', name], limits.delete))),
  };
}

/** Settings of `tart run`. */
type RunSettings = Pick<GuestSpec, 'shares' | 'screen'>;

/**
 * Arguments of `tart run`: no audio, no clipboard, nothing of the host except the shares, and a window only for a guest
 * with a screen.
 */
export function runArguments(name: string, { shares, screen }: RunSettings): string[] {
  const directories = shares.flatMap(share => [
    '--dir',
    // Tart treats any suffix other than `ro` as part of the path (facts 2.8).
    `${share.name}:${share.path}${share.readOnly ? ':ro' : ''}`,
  ]);
  const display = screen ? ['--vnc-experimental', '--graphics'] : ['--no-graphics'];
  return ['run', name, ...display, '--no-audio', '--no-clipboard', ...directories];
}

/**
 * With a window, Tart opens a viewer on the Mac's own screen; with `CI` set, it prints the address of the guest's
 * screen instead (facts 2.8).
 */
export const runEnvironment = ({ screen }: RunSettings): Record<string, string> => (screen ? { CI: '1' } : {});

const registryEnvironment = ({ hostname, username, password }: RegistryCredentials): Record<string, string> => ({
  TART_REGISTRY_HOSTNAME: hostname,
  TART_REGISTRY_USERNAME: username,
  TART_REGISTRY_PASSWORD: password,
});

const alreadyExists = (name: string): TartError =>
  new TartError('exists', { command: 'clone', message: `VM "${name}" already exists and is not replaced` });

async function unlessNotFound<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isTartError(error, 'not found')) return undefined;
    throw error;
  }
}

async function unlessStopped(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isTartError(error, 'not found') && !isTartError(error, 'not running')) throw error;
  }
}

async function unlessNoAddress<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TartError && /no IP address found/.test(error.message)) return undefined;
    throw error;
  }
}

/**
 * Parser for `tart list --format json`, which is Swift's JSON: unordered keys, escaped slashes, sizes in whole
 * gigabytes.
 */

const GIGABYTE = 1e9;

const parseVms = (text: string): TartVm[] =>
  rowsOf(text).flatMap(row =>
    row.Source === 'local' ? [{ name: row.Name, running: row.Running, bytes: row.Size * GIGABYTE }] : [],
  );

/** An image pulled by tag is listed twice, by tag and by digest. */
const parseImages = (text: string): TartImage[] =>
  rowsOf(text).flatMap(row => (row.Source === 'OCI' ? [{ name: row.Name, bytes: row.Size * GIGABYTE }] : []));

interface TartListRow {
  readonly Source: string;
  readonly Name: string;
  readonly Size: number;
  readonly Running: boolean;
}

/** An unreadable list is an error and never an empty list, because callers would rely on "no VMs". */
function rowsOf(text: string): TartListRow[] {
  const rows = parseJson(text);
  if (!Array.isArray(rows) || !rows.every(isRow)) {
    throw new TartError('unreadable', { command: 'list', message: `unreadable output: ${text.slice(0, 200)}` });
  }
  return rows;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRow(value: unknown): value is TartListRow {
  if (typeof value !== 'object' || value === null) return false;
  const { Source, Name, Size, Running } = value as Partial<Record<keyof TartListRow, unknown>>;
  return (
    typeof Source === 'string' && typeof Name === 'string' && typeof Size === 'number' && typeof Running === 'boolean'
  );
}

interface SetAndVerifyOptions {
  /** Folder of the VM's files. */
  readonly bundle: string;
  readonly name: string;
  readonly settings: TartSettings;
  readonly set: (argv: readonly [string, ...string[]]) => Promise<string>;
}

/**
 * Reads the settings back, because Tart does not report a clone that keeps its image's identity (facts 13.1 item 33).
 */
async function setAndVerify({ bundle, name, settings, set }: SetAndVerifyOptions): Promise<void> {
  const { cpus, memoryMegabytes, freshIdentity } = settings;
  const options = [
    ...(cpus === undefined ? [] : ['--cpu', `${cpus}`]),
    ...(memoryMegabytes === undefined ? [] : ['--memory', `${memoryMegabytes}`]),
    ...(freshIdentity ? ['--random-mac', '--random-serial'] : []),
  ];
  if (options.length === 0) return;
  const before = await readConfig(bundle, name);
  await set(['set', name, ...options]);
  const after = await readConfig(bundle, name);
  const wrong = [
    cpus !== undefined && after.cpuCount !== cpus && `it has ${after.cpuCount} CPUs instead of ${cpus}`,
    memoryMegabytes !== undefined &&
      after.memorySize !== memoryMegabytes * 1024 ** 2 &&
      `it has ${after.memorySize} bytes of memory instead of ${memoryMegabytes} MiB`,
    freshIdentity && after.macAddress === before.macAddress && 'it kept its MAC address',
    freshIdentity && before.ecid !== undefined && after.ecid === before.ecid && 'it kept its machine id',
  ].filter(word => typeof word === 'string');
  if (wrong.length > 0) throw new TartError('other', { command: 'set', message: `VM "${name}": ${wrong.join(', ')}` });
}

interface VmConfig {
  readonly cpuCount?: number;
  readonly memorySize?: number;
  readonly macAddress?: string;
  readonly ecid?: string;
}

async function readConfig(bundle: string, name: string): Promise<VmConfig> {
  try {
    return JSON.parse(await readFile(join(bundle, 'config.json'), 'utf8')) as VmConfig;
  } catch (cause) {
    const message = `configuration of VM "${name}" is unreadable: ${(cause as Error).message}`;
    throw new TartError('damaged', { command: 'set', message }, { cause });
  }
}
