import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeLauncher } from '../write-launcher.ts';
import type { HostFile } from './host/host-file.ts';

interface InstallTartOptions {
  /** Directory for `tart`, to be added to PATH. */
  readonly directory: string;
  /** Directory of the world. The launcher passes it in TART_WORLD, so that callers do not have to. */
  readonly world?: string;
  /** Initial properties of this Mac. */
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

/** Changes the host at run time: every call reads the file again. */
export const writeHostFile = (world: string, host: HostFile): void =>
  writeFileSync(join(world, 'host.json'), JSON.stringify(host, undefined, 2));
