import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LEAN_PROCESS } from '@minifleet/kube';
import { AGENT_FILE, HOST_FILES } from '@minifleet/spec-file';
import { bundle, readLockfile, sbom } from '@minifleet/tart-kubelet/build';
import type { Architecture } from './architecture.ts';
import { USER } from './base-system.ts';
import { type Layer, makeLayer } from './layer.ts';
import { type ImageConfig, writeOciLayout } from './oci-layout.ts';
import { LOCKFILE, NODE, type PlatformLayers } from './platform-layers.ts';

/** Programs that run in the cluster, each in its own image. */
export const PROGRAMS = ['provider', 'runners'] as const;
export type Program = (typeof PROGRAMS)[number];

export interface ImageOptions {
  readonly root: string;
  readonly out: string;
  readonly platforms: readonly PlatformLayers[];
  /** The node agent for Macs, which the provider installs on hosts. */
  readonly agent: string;
  /** Content of the other files that the provider installs on hosts, by name. */
  readonly hostFiles: ReadonlyMap<string, Buffer>;
}

export interface BuiltImage {
  readonly layout: string;
  readonly digest: string;
  readonly platforms: readonly BuiltPlatform[];
}

export interface BuiltPlatform {
  readonly architecture: Architecture;
  readonly digest: string;
  readonly bytes: number;
  readonly sbom: string;
}

const IN_IMAGE = HOST_FILES.slice(1);

/**
 * Creates the image of one program: Debian's libraries, Node, the program as one file and, for the provider, the files
 * for Macs. Each is one layer, so that a new version of the program is a small download. Agent, files and program are the
 * same bytes for every architecture.
 */
export async function buildImage(program: Program, options: ImageOptions): Promise<BuiltImage> {
  const { root, out, platforms } = options;
  const main = `usr/local/share/minifleet/${program}.mjs`;
  const bundled = await bundle(root, `packages/${program}/main.ts`);
  const { version } = JSON.parse(await readFile(join(root, `packages/${program}/package.json`), 'utf8')) as Versioned;
  const shared = [
    ...(program === 'provider' ? await hostLayers(options) : []),
    await makeLayer([{ path: main, content: Buffer.from(bundled.code) }]),
  ];
  const images = platforms.map(({ architecture: { platform }, layers }) => ({
    layers: [...layers, ...shared],
    config: { platform, ...startOf(program, main, version) },
  }));
  const layout = join(out, `minifleet-${program}`);
  const { digest, manifests } = await writeOciLayout(layout, { tag: version, images });
  const built = platforms.map(async ({ architecture, node, packages }, index): Promise<BuiltPlatform> => {
    const manifest = manifests[index] ?? '';
    const list = sbom({
      lockfile: readLockfile(join(root, LOCKFILE)),
      inputs: bundled.inputs,
      runtime: { name: architecture.basePackage, locked: node.locked },
      binary: { name: `minifleet-${program}`, version, sha256: manifest.replace('sha256:', '') },
    });
    const file = `${layout}-${architecture.platform.architecture}.cdx.json`;
    await writeFile(file, `${JSON.stringify(withDebian(list, packages), undefined, 2)}\n`);
    const bytes = (images[index]?.layers ?? []).reduce((sum, { blob }) => sum + blob.length, 0);
    return { architecture, digest: manifest, bytes, sbom: file };
  });
  return { layout, digest, platforms: await Promise.all(built) };
}

/** Files of other projects change rarely, so they are below the agent. */
async function hostLayers({ agent, hostFiles }: ImageOptions): Promise<Layer[]> {
  const layers: Layer[] = [];
  for (const [name, content] of hostFiles)
    layers.push(await makeLayer([{ path: `${IN_IMAGE}/${name}`, content, mode: 0o644 }]));
  const program = { path: `${IN_IMAGE}/${AGENT_FILE}`, content: await readFile(agent), mode: 0o755 };
  return [...layers, await makeLayer([program])];
}

const startOf = (program: Program, main: string, version: string): Omit<ImageConfig, 'platform'> => ({
  user: `${USER.id}:${USER.id}`,
  entrypoint: [`/${NODE}`, ...LEAN_PROCESS.nodeFlags, `/${main}`],
  environment: { ...LEAN_PROCESS.environment, NODE_ENV: 'production' },
  labels: {
    'org.opencontainers.image.title': `minifleet-${program}`,
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': 'Apache-2.0',
  },
});

interface Versioned {
  readonly version: string;
}

/** Adds the system packages to the SBOM of the program. */
function withDebian(list: object, packages: PlatformLayers['packages']): object {
  const { components = [], ...rest } = list as { components?: readonly object[] };
  const system = packages.map(({ name, version, architecture }) => ({
    type: 'library',
    'bom-ref': `pkg:deb/debian/${name}@${version}?arch=${architecture}`,
    name,
    version,
    purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`,
  }));
  return { ...rest, components: [...components, ...system] };
}
