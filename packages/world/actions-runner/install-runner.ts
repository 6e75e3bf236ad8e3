import { copyFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeLauncher } from '../write-launcher.ts';

/** Version of the Actions runner in simulated images and archives. */
export const RUNNER_VERSION = '2.330.0';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Unpacks the runner into a guest's folder on this machine: `run.sh` and the programs it starts. */
export function installRunner(folder: string, version: string): void {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  copyFileSync(here('./run.sh'), join(folder, 'run.sh'));
  copyFileSync(here('./runner-worker.sh'), join(folder, 'bin/Runner.Worker'));
  writeLauncher(join(folder, 'bin/Runner.Listener'), {
    main: here('./main.ts'),
    // One cache for all guests, because their own temporary folders start empty.
    environment: { WORLD_RUNNER_VERSION: version, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') },
  });
}

/** For `registry.seedImage`: an image whose guests have the Actions runner in `$HOME/actions-runner`. */
export const runnerImage = (version = RUNNER_VERSION): { readonly software: readonly string[] } => ({
  software: [`actions-runner/${version}`],
});
