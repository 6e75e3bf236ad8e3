import { milliseconds } from '@minifleet/clock';
import type { WorldDeps } from '../world-deps.ts';
import { isLockedAtBoot } from './file-vault/file-vault.ts';
import { createFileSystem } from './files/create-file-system.ts';
import { type FileSystem, fileError, isKnownError } from './files/file-system.ts';

import { layOut, tahoeImage } from './files/tahoe/tahoe-image.ts';

import { type Mac, type MacOptions, type MacPart, type Program, root } from './mac.ts';

import { createPower, type Power } from './power.ts';
import { executablesOf, installProgram } from './processes/executables.ts';
import { processesOf } from './processes/process-table.ts';
import { findExecutable } from './processes/run-program.ts';

import { shellPrograms } from './shell/shell-programs.ts';
import { unixPrograms } from './unix/unix-programs.ts';

/** A Mac for the code that created it, which can also switch it on and off. */
export interface BuiltMac extends Mac {
  /** Switches the Mac on: `onBoot` listeners run after the files are in place and before users can log in. */
  boot(): void;
  /** Switches the Mac off: connections drop, processes end. */
  shutDown(): void;
}

export interface CreateMacOptions extends MacOptions {
  readonly parts?: readonly MacPart[];
  /** Duration of a reboot until SSH answers; derived from the usual half minute of an M-series mini. */
  readonly rebootMilliseconds?: number;
}

/** A 512 GB mini. The system and its snapshots use the rest. */
const DISK = 494_384_795_648;
const SYSTEM = 30_000_000_000;
const REBOOT = 30_000;

/** Creates a Mac from a fresh Tahoe image and boots it. */
export function createMac(options: CreateMacOptions, around: WorldDeps): BuiltMac {
  const place = `mac/${options.name}`;
  const totalBytes = options.diskBytes ?? DISK;
  const power = createPower({ around, place, rebootTakes: milliseconds(options.rebootMilliseconds ?? REBOOT) });
  const files = createFileSystem({
    totalBytes,
    now: () => around.clock.now(),
    beforeWrite: (path, bytes) => writeFault(around, { place, path }, bytes),
  });
  const mac = assemble({ options, around, files, power });
  layOut(files, tahoeImage(options.macos));
  files.reserve(Math.min(SYSTEM, totalBytes / 4));
  addPrograms(mac, options.parts ?? []);
  files.seal();
  // Runs last, because the shutdown handlers of the parts may still inspect their processes.
  mac.onShutDown(() => {
    const processes = processesOf(mac);
    for (const { pid } of processes.find()) processes.end(pid, { signal: 'SIGKILL' });
    clearTemporary(mac);
  });
  mac.boot();
  return mac;
}

interface MacDeps {
  readonly options: MacOptions;
  readonly around: WorldDeps;
  readonly files: FileSystem;
  readonly power: Power;
}

function assemble({ options, around, files, power }: MacDeps): BuiltMac {
  const states = new Map<symbol, unknown>();
  const mac: BuiltMac = {
    options,
    around,
    files,
    findProgram: (nameOrPath, path) => findAsRoot(mac, nameOrPath, path),
    install: (path, program) => installProgram(mac, path, program),
    state<T>(key: symbol, create: () => T): T {
      if (!states.has(key)) states.set(key, create());
      return states.get(key) as T;
    },
    onBoot: listener => power.onBoot(listener),
    onShutDown: listener => power.onShutDown(listener),
    boot: () => power.boot(),
    shutDown: () => power.shutDown(),
    async reboot() {
      // boot() is the person who unlocks the disk.
      if (isLockedAtBoot(mac)) power.shutDown();
      else await power.reboot();
    },
    get running() {
      return power.on;
    },
    get uptime() {
      return power.uptime;
    },
  };
  return mac;
}

function addPrograms(mac: Mac, parts: readonly MacPart[]): void {
  for (const table of [unixPrograms, shellPrograms])
    for (const [path, program] of Object.entries(table)) mac.install(path, program);
  for (const part of parts) {
    const contribution = part(mac);
    executablesOf(mac).contributions.push(contribution);
    for (const [path, program] of Object.entries(contribution.programs ?? {})) mac.install(path, program);
  }
}

function findAsRoot(mac: Mac, nameOrPath: string, path: string): Program | undefined {
  const found = findExecutable(mac, { argv: [nameOrPath], user: root, directory: '/', environment: { PATH: path } });
  return 'program' in found ? found.program : undefined;
}

/** Empties /tmp at boot; derived from macOS's tmp cleaner. */
function clearTemporary(mac: Mac): void {
  for (const name of mac.files.list(root, '/private/tmp'))
    mac.files.remove(root, `/private/tmp/${name}`, { recursive: true });
}

/**
 * Number of bytes of a write that reach the disk. A simulated write is instantaneous, so it can fail or be torn, but
 * not hang or wait.
 */
function writeFault(
  around: WorldDeps,
  where: { readonly place: string; readonly path: string },
  bytes: number,
): number {
  const fault = around.faults.strike({ place: where.place, kind: 'file write', detail: where.path });
  if (!fault) return bytes;
  if (fault.type === 'fail') throw fileError(isKnownError(fault.message) ? fault.message : 'EIO', where.path);
  if (fault.type === 'drop' && fault.when === 'before') throw fileError('EIO', where.path);
  return fault.type === 'drop' && fault.when === 'during' ? Math.floor(bytes / 2) : bytes;
}
