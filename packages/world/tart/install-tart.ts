import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeLauncher } from '../write-launcher.ts';
import type { HostFile } from './host/host-file.ts';

interface InstallTartOptions {
  /** Where `tart` is put: a directory for PATH. */
  readonly directory: string;
  /** The directory of the world; the launcher names it in TART_WORLD, so that callers need not know. */
  readonly world?: string;
  /** What this Mac is like to begin with. */
  readonly host?: HostFile;
  readonly node?: string;
}

/** Writes a launcher that runs the simulated Tart, and returns its path. */
export function installTart(options: InstallTartOptions): string {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));
  const path = join(options.directory, 'tart');
  mkdirSync(options.directory, { recursive: true });
  if (options.world !== undefined) {
    mkdirSync(options.world, { recursive: true });
    if (options.host) writeHostFile(options.world, options.host);
  }
  const environment = options.world === undefined ? {} : { TART_WORLD: options.world };
  writeLauncher(path, { main, environment, node: options.node });
  return path;
}

/** Changes the host while things run: every call reads it anew. */
export const writeHostFile = (world: string, host: HostFile): void =>
  writeFileSync(join(world, 'host.json'), JSON.stringify(host, undefined, 2));
