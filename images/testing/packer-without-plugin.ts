import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findBinaries } from '@minifleet/local-cluster';

const run = promisify(execFile);
const images = join(import.meta.dirname, '..');

export interface PackerResult {
  readonly code: number;
  readonly text: string;
}

/** The real Packer, and a copy of the template that it can validate and run without the plugin. */
export interface PackerWithoutPlugin {
  readonly folder: string;
  readonly template: string;
  /** Runs Packer with the chosen image, the pinned versions and these variables. */
  on(
    command: 'validate' | 'build',
    image: string,
    variables?: Readonly<Record<string, string>>,
    template?: string,
  ): Promise<PackerResult>;
  ask(...argv: readonly string[]): Promise<PackerResult>;
  close(): void;
}

const NEEDED = {
  base_image: `ghcr.io/acme/base@sha256:${'0'.repeat(64)}`,
  vm_name: 'minifleet-bake-runner-7-1',
};

/** `connection`: options of Packer's SSH communicator, for a machine to build on. */
export async function openPacker(connection: Readonly<Record<string, string>> = {}): Promise<PackerWithoutPlugin> {
  const { packer } = await findBinaries({ programs: ['packer'] });
  const folder = mkdtempSync(join(tmpdir(), 'packer-'));
  const template = join(folder, 'images/macos.pkr.hcl');
  const pinned = join(folder, 'images/versions.pkrvars.hcl');
  cpSync(join(images, 'guest'), join(folder, 'images/guest'), { recursive: true });
  cpSync(join(images, 'versions.pkrvars.hcl'), pinned);
  mkdirSync(join(folder, 'packages/host'), { recursive: true });
  cpSync(join(images, '../packages/host/scripts'), join(folder, 'packages/host/scripts'), { recursive: true });
  writeFileSync(template, withoutPlugin(readFileSync(join(images, 'macos.pkr.hcl'), 'utf8'), connection));
  const env = { ...process.env, PACKER_CONFIG_DIR: folder, CHECKPOINT_DISABLE: '1', PACKER_NO_COLOR: '1' };
  const ask = (...argv: readonly string[]): Promise<PackerResult> =>
    run(packer, argv, { env }).then(
      ({ stdout }) => ({ code: 0, text: stdout }),
      (error: Error & { code?: number; stdout?: string; stderr?: string }) => ({
        code: error.code ?? -1,
        text: `${error.stdout ?? ''}${error.stderr ?? ''}`,
      }),
    );
  return {
    folder,
    template,
    ask,
    on(command, image, variables = {}, path = template) {
      const given = Object.entries({ ...NEEDED, ...variables }).flatMap(([name, value]) => [
        '-var',
        `${name}=${value}`,
      ]);
      return ask(command, `-only=macos.null.${image}`, `-var-file=${pinned}`, ...given, path);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * Returns the template with Packer's `null` builder instead of the plugin's, so that Packer validates everything else,
 * from variables to provisioners and their scripts. template.test.ts checks the options of the plugin.
 */
function withoutPlugin(template: string, connection: Readonly<Record<string, string>>): string {
  const plugins = /^ {2}(vm_base_name|vm_name|headless|disk_size_gb|cpu_count|memory_gb) +=.*\n/gm;
  // Packer requires exactly one authentication method.
  const password = 'ssh_private_key_file' in connection ? /^ {2}ssh_password +=.*\n/m : /$^/;
  const ssh = Object.entries({ ssh_host: '127.0.0.1', ...connection })
    .map(([name, value]) => `  ${name} = "${value}"\n`)
    .join('');
  return template
    .replace(/^ {2}required_plugins \{\n[\s\S]*?^ {2}\}\n/m, '')
    .replace(
      /^(source "tart-cli" "macos" \{\n)([\s\S]*?)^\}/m,
      (_, head: string, body: string) => `${head}${body.replace(plugins, '').replace(password, '')}${ssh}}`,
    )
    .replaceAll('tart-cli', 'null');
}
