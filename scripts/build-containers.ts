/**
 * `node scripts/build-containers.ts [--out directory] [provider|runners …]`: builds OCI images of the programs for
 * amd64 and arm64, without a container engine.
 */
import { homedir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createTerminalReporter } from '@minifleet/local-cluster';
import { cachedAgent, findPlatform, megabytes } from '@minifleet/tart-kubelet/build';
import { ARCHITECTURES } from '../containers/architecture.ts';
import { type PlatformLayers, platformLayers } from '../containers/platform-layers.ts';
import { buildImage, PROGRAMS, type Program } from '../containers/program-image.ts';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const { values, positionals } = parseArgs({
  options: { out: { type: 'string', default: 'dist/containers' } },
  allowPositionals: true,
});
const reporter = createTerminalReporter({ output: process.stdout, now: Date.now });

function programsFrom(words: readonly string[]): readonly Program[] {
  const unknown = words.find(word => !PROGRAMS.some(one => one === word));
  if (unknown !== undefined) throw new Error(`unknown program ${unknown}; available: ${PROGRAMS.join(', ')}`);
  return words.length === 0 ? PROGRAMS : PROGRAMS.filter(one => words.includes(one));
}

async function build(programs: readonly Program[]): Promise<void> {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'minifleet');
  const step = (title: string) => reporter.step(title);
  const agent = await cachedAgent({
    ...{ root, cache, step, node: process.execPath, now: Date.now() },
    platform: findPlatform('darwin-arm64'),
  });
  const out = resolve(values.out);
  const platforms: PlatformLayers[] = [];
  for (const architecture of ARCHITECTURES) {
    const shown = step(`system and Node for ${architecture.debian}`);
    const layers = await platformLayers(architecture, { root, cache, say: detail => shown.update(detail) });
    shown.done(layers.packages.map(({ name, version }) => `${name} ${version}`).join(', '));
    platforms.push(layers);
  }
  for (const program of programs) {
    const shown = step(`minifleet-${program}`);
    const built = await buildImage(program, { root, out, platforms, agent });
    const sizes = built.platforms.map(one => `${one.architecture.platform.architecture} ${megabytes(one.bytes)}`);
    shown.done(`${relative('.', built.layout)}, ${sizes.join(', ')}, ${built.digest}`);
  }
}

try {
  await build(programsFrom(positionals));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
