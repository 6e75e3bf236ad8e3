import { readFile } from 'node:fs/promises';
import { type BaseBinary, findBaseBinary } from '@minifleet/tart-kubelet/build';
import type { Architecture } from './architecture.ts';
import { type BaseSystem, baseSystem } from './base-system.ts';
import { type Layer, makeLayer } from './layer.ts';

/** The layers that differ by architecture and are the same for every program. */
export interface PlatformLayers {
  readonly architecture: Architecture;
  readonly packages: BaseSystem['packages'];
  readonly node: BaseBinary;
  /** Bottom first. */
  readonly layers: readonly Layer[];
}

export interface PlatformOptions {
  readonly root: string;
  readonly cache: string;
  readonly say: (detail: string) => void;
}

export const NODE = 'usr/local/bin/node';
export const LOCKFILE = 'package-lock.json';

/** Fetches Debian's libraries and Node. None of it is executed, so any machine can do it for any architecture. */
export async function platformLayers(architecture: Architecture, options: PlatformOptions): Promise<PlatformLayers> {
  const node = await findBaseBinary(architecture, { ...options, lockfile: LOCKFILE });
  options.say('fetching system libraries');
  const { files, packages } = await baseSystem(architecture);
  const nodeLayer = await makeLayer([{ path: NODE, content: await readFile(node.path), mode: 0o755 }]);
  return { architecture, packages, node, layers: [await makeLayer(files), nodeLayer] };
}
