/**
 * `node scripts/build-containers.ts [--out directory] [provider|runners …]`: builds OCI images of the programs for
 * amd64 and arm64, without a container engine. The image of the provider has Tart and GitHub's runner, which are
 * downloaded from their projects, or read from the folder or URL of --host-files. With --homebrew-installer it has
 * Homebrew's install script, too.
 */
import { homedir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createTerminalReporter } from '@minifleet/local-cluster';
import { HOMEBREW_INSTALLER_FILE, RUNNER, TART } from '@minifleet/spec-file';
import { cachedAgent, findPlatform, megabytes } from '@minifleet/tart-kubelet/build';
import { ARCHITECTURES } from '../containers/architecture.ts';
import { fetchHostFiles } from '../containers/fetch-host-files.ts';
import { HOW_TO_GET, readHomebrewInstaller } from '../containers/homebrew-installer.ts';
import { type PlatformLayers, platformLayers } from '../containers/platform-layers.ts';
import { buildImage, PROGRAMS, type Program } from '../containers/program-image.ts';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const { values, positionals } = parseArgs({
  options: {
    out: { type: 'string', default: 'dist/containers' },
    'host-files': { type: 'string' },
    'without-host-files': { type: 'boolean', default: false },
    'homebrew-installer': { type: 'string' },
    'homebrew-sha256': { type: 'string' },
  },
  allowPositionals: true,
});
const reporter = createTerminalReporter({ output: process.stdout, now: Date.now });

function programsFrom(words: readonly string[]): readonly Program[] {
  const unknown = words.find(word => !PROGRAMS.some(one => one === word));
  if (unknown !== undefined) throw new Error(`unknown program ${unknown}; available: ${PROGRAMS.join(', ')}`);
  return words.length === 0 ? PROGRAMS : PROGRAMS.filter(one => words.includes(one));
}

const WITHOUT_INSTALLER = `The image has no Homebrew installer, which builders need on Macs without Homebrew. To add one:\n${HOW_TO_GET}`;

async function hostFilesFor(programs: readonly Program[], cache: string): Promise<ReadonlyMap<string, Buffer>> {
  if (!programs.includes('provider')) return new Map();
  const installer = await readHomebrewInstaller({
    file: values['homebrew-installer'],
    sha256: values['homebrew-sha256'],
  });
  const shown = reporter.step('files for hosts');
  const from = values['host-files'];
  const pinned = values['without-host-files'] ? [] : [TART, RUNNER];
  const files = new Map(await fetchHostFiles(pinned, { from, cache, say: detail => shown.update(detail) }));
  if (installer) files.set(HOMEBREW_INSTALLER_FILE, installer);
  shown.done(
    [...pinned.map(({ name, version }) => `${name} ${version}`), ...(installer ? ['Homebrew installer'] : [])].join(
      ', ',
    ),
  );
  if (!installer) console.log(WITHOUT_INSTALLER);
  return files;
}

async function build(programs: readonly Program[]): Promise<void> {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'minifleet');
  const step = (title: string) => reporter.step(title);
  const agent = await cachedAgent({
    ...{ root, cache, step, node: process.execPath, now: Date.now() },
    platform: findPlatform('darwin-arm64'),
  });
  const hostFiles = await hostFilesFor(programs, join(cache, 'host-files'));
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
    const built = await buildImage(program, { root, out, platforms, agent, hostFiles });
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
