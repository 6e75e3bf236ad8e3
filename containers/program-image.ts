import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LEAN_PROCESS } from '@minifleet/kube';
import { findBaseBinary } from '../packages/tart-kubelet/build/base-binary.ts';
import { bundle } from '../packages/tart-kubelet/build/bundle.ts';
import { readLockfile } from '../packages/tart-kubelet/build/lockfile.ts';
import { findPlatform } from '../packages/tart-kubelet/build/platform.ts';
import { sbom } from '../packages/tart-kubelet/build/sbom.ts';
import { type BaseSystem, USER } from './base-system.ts';
import { type LayerFile, makeLayer } from './layer.ts';
import { writeOciLayout } from './oci-layout.ts';

/** Programs that run in the cluster, each an image of its own. */
export const PROGRAMS = ['provider', 'runners'] as const;
export type Program = (typeof PROGRAMS)[number];

export interface ImageOptions {
  readonly root: string;
  readonly cache: string;
  readonly out: string;
  readonly base: BaseSystem;
  /** The node agent for Macs: what the provider brings to a host. */
  readonly agent: string;
  readonly say: (detail: string) => void;
}

export interface BuiltImage {
  readonly layout: string;
  readonly digest: string;
  readonly bytes: number;
  readonly sbom: string;
}

const NODE = 'usr/local/bin/node';
const AGENT = 'usr/local/share/minifleet/tart-kubelet-darwin-arm64';
const PLATFORM = findPlatform('linux-x64');

/**
 * One program as an image: Debian's libraries, Node, the program as one file and, for the provider, the Macs' agent. A layer each, so
 * that another version of the program is a small download.
 */
export async function buildImage(program: Program, options: ImageOptions): Promise<BuiltImage> {
  const { root, cache, out, base, agent, say } = options;
  const main = `usr/local/share/minifleet/${program}.mjs`;
  const [node, bundled] = await Promise.all([
    findBaseBinary(PLATFORM, { root, cache, say }),
    bundle(root, `packages/${program}/main.ts`),
  ]);
  const { version } = JSON.parse(await readFile(join(root, `packages/${program}/package.json`), 'utf8')) as Versioned;
  const parts: readonly (readonly LayerFile[])[] = [
    base.files,
    [{ path: NODE, content: await readFile(node.path), mode: 0o755 }],
    ...(program === 'provider' ? [[{ path: AGENT, content: await readFile(agent), mode: 0o755 }]] : []),
    [{ path: main, content: Buffer.from(bundled.code) }],
  ];
  const layers = [];
  for (const files of parts) layers.push(await makeLayer(files));
  const layout = join(out, `minifleet-${program}`);
  const digest = await writeOciLayout(layout, {
    tag: version,
    layers,
    config: {
      architecture: 'amd64',
      user: `${USER.id}:${USER.id}`,
      entrypoint: [`/${NODE}`, ...LEAN_PROCESS.nodeFlags, `/${main}`],
      environment: { ...LEAN_PROCESS.environment, NODE_ENV: 'production' },
      labels: {
        'org.opencontainers.image.title': `minifleet-${program}`,
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.licenses': 'Apache-2.0',
      },
    },
  });
  const list = sbom({
    lockfile: readLockfile(join(root, 'package-lock.json')),
    inputs: bundled.inputs,
    runtime: { name: PLATFORM.basePackage, locked: node.locked },
    binary: { name: `minifleet-${program}`, version, sha256: createHash('sha256').update(bundled.code).digest('hex') },
  });
  await mkdir(out, { recursive: true });
  await writeFile(`${layout}.cdx.json`, `${JSON.stringify(withDebian(list, base), undefined, 2)}\n`);
  return { layout, digest, bytes: layers.reduce((sum, { blob }) => sum + blob.length, 0), sbom: `${layout}.cdx.json` };
}

interface Versioned {
  readonly version: string;
}

/** The system's packages beside the program's. */
function withDebian(list: object, { packages }: BaseSystem): object {
  const { components = [], ...rest } = list as { components?: readonly object[] };
  const system = packages.map(({ name, version }) => ({
    type: 'library',
    'bom-ref': `pkg:deb/debian/${name}@${version}`,
    name,
    version,
    purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}`,
  }));
  return { ...rest, components: [...components, ...system] };
}
