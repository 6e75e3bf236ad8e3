import { copyFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeLauncher } from '../write-launcher.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Unpacks the runner into a folder of this machine, which is one of a guest: `run.sh` and what it starts. */
export function installRunner(folder: string, version: string): void {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  copyFileSync(here('./run.sh'), join(folder, 'run.sh'));
  copyFileSync(here('./runner-worker.sh'), join(folder, 'bin/Runner.Worker'));
  writeLauncher(join(folder, 'bin/Runner.Listener'), {
    main: here('./main.ts'),
    // One cache for all guests: their own temporary folders begin empty.
    environment: { WORLD_RUNNER_VERSION: version, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') },
  });
}
