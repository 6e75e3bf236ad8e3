import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TartCall } from '../tart-call.ts';
import { type Bundle, bundleAt, complete, openBundle } from './bundle.ts';
import { locked } from './lock.ts';

export interface NamedBundle {
  readonly name: string;
  readonly bundle: Bundle;
}

export const localBundle = (call: TartCall, name: string): Bundle => bundleAt(join(openHome(call.home).vms, name));

export const openLocal = (call: TartCall, name: string): Bundle =>
  openBundle(localBundle(call, name), name, call.around.clock.now());

/** A directory that lacks a file is ignored. */
export function listLocal(call: TartCall): NamedBundle[] {
  return readdirSync(openHome(call.home).vms)
    .sort()
    .map(name => ({ name, bundle: localBundle(call, name) }))
    .filter(({ bundle }) => complete(bundle));
}

type VmState = 'running' | 'suspended' | 'stopped';

export function stateOf(call: TartCall, { name, bundle }: NamedBundle): VmState {
  if (locked(bundle.lock) && !call.host().lockLies?.includes(name)) return 'running';
  return existsSync(bundle.snapshot) ? 'suspended' : 'stopped';
}

/** Valid only while the lock is held; written right after it is acquired. */
export function ownerOf(bundle: Bundle): number | undefined {
  try {
    return Number(readFileSync(bundle.owner, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

/** Directories below TART_HOME (facts 10.3). Any command that accesses storage creates `cache` and `tmp`. */
interface TartHome {
  readonly root: string;
  readonly vms: string;
  readonly images: string;
  readonly temporary: string;
  /** Represents the flock on the home directory. */
  readonly lock: string;
}

export function openHome(root: string): TartHome {
  const home = {
    root,
    vms: join(root, 'vms'),
    images: join(root, 'cache', 'OCIs'),
    temporary: join(root, 'tmp'),
    lock: join(root, '.lock'),
  };
  for (const path of [home.vms, home.images, join(root, 'cache', 'IPSWs'), home.temporary]) {
    mkdirSync(path, { recursive: true });
  }
  return home;
}
