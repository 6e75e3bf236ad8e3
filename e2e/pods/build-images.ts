/** The images of the Pods: those that scripts/build-containers.ts builds, and the one that holds a Pod's namespaces. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Reporter } from '@minifleet/local-cluster';
import { RUNNER, TART } from '@minifleet/spec-file';
import { cachedAgent, findPlatform } from '@minifleet/tart-kubelet/build';
import { runnerTarball, tartArchive } from '@minifleet/world/mac';
import { ARCHITECTURES } from '../../containers/architecture.ts';
import { makeLayer } from '../../containers/layer.ts';
import { writeOciLayout } from '../../containers/oci-layout.ts';
import { type PlatformLayers, platformLayers } from '../../containers/platform-layers.ts';
import { buildImage, PROGRAMS } from '../../containers/program-image.ts';
import { ROOT } from '../testing/built-agent.ts';

/** Prefix of the images in the values of the page. */
const REGISTRY = 'ghcr.io/acme';
const SANDBOX = 'minifleet.test/sandbox';
const SANDBOX_TAG = '1';
export const SANDBOX_IMAGE = `${SANDBOX}:${SANDBOX_TAG}`;

/** Names of the images, and their layouts in a folder. */
export const imagesIn = (folder: string): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(PROGRAMS.map(name => [`${REGISTRY}/minifleet-${name}`, join(folder, `minifleet-${name}`)])),
  [SANDBOX]: join(folder, 'sandbox'),
});

/**
 * Builds for the processor of this machine. Instead of the real downloads, the provider image has the world's Tart and
 * runner, under the same names, because the simulated Macs cannot run the real ones.
 */
export async function buildImages(folder: string, reporter: Reporter): Promise<void> {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'minifleet');
  const step = (title: string) => reporter.step(title);
  const agent = await cachedAgent({
    ...{ root: ROOT, cache, step, node: process.execPath, now: Date.now() },
    platform: findPlatform('darwin-arm64'),
  });
  const shown = step('container images');
  const debian = process.arch === 'x64' ? 'amd64' : process.arch;
  const architecture = ARCHITECTURES.find(one => one.debian === debian);
  if (architecture === undefined) throw new Error(`container images: no image for ${process.arch}; use amd64 or arm64`);
  const platform = await platformLayers(architecture, { root: ROOT, cache, say: detail => shown.update(detail) });
  const hostFiles = new Map([
    [TART.file, tartArchive(TART.version)],
    [RUNNER.file, runnerTarball(RUNNER.version)],
  ]);
  for (const program of PROGRAMS)
    await buildImage(program, { root: ROOT, out: folder, platforms: [platform], agent, hostFiles });
  await writeSandboxImage(join(folder, 'sandbox'), platform);
  shown.done();
}

/** `sleep` of this machine on the libraries of the other images: no registry is reachable for the usual image. */
async function writeSandboxImage(layout: string, { architecture, layers }: PlatformLayers): Promise<void> {
  const [libraries] = layers;
  const sleep = await makeLayer([{ path: 'usr/bin/sleep', content: await readFile('/usr/bin/sleep'), mode: 0o755 }]);
  const config = {
    platform: architecture.platform,
    user: '65532:65532',
    entrypoint: ['/usr/bin/sleep', 'infinity'],
    environment: {},
    labels: {},
  };
  const images = [{ layers: [...(libraries ? [libraries] : []), sleep], config }];
  await writeOciLayout(layout, { tag: SANDBOX_TAG, images });
}
