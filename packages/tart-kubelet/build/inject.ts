import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BaseBinary } from './base-binary.ts';

/** The name stands in the executable: always the same, wherever it is built. */
const MAIN = 'tart-kubelet.mjs';

/** Puts a program into a Node executable (`node --build-sea`). `node` runs here and must be of the very same version. */
export async function inject(code: string, base: BaseBinary, node: string): Promise<Buffer> {
  await checkVersion(node, base.version);
  const directory = await mkdtemp(join(tmpdir(), 'minifleet-sea-'));
  try {
    await writeFile(join(directory, MAIN), code);
    await writeFile(join(directory, 'sea.json'), JSON.stringify(settings(base.path)));
    await promisify(execFile)(node, ['--build-sea', 'sea.json'], { cwd: directory });
    return await readFile(join(directory, 'agent'));
  } catch (error) {
    throw new Error('node --build-sea failed; it takes 1.1 GB of memory and 0.5 GB in the temporary directory', {
      cause: error,
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** No code cache and no snapshot: both are of this machine's processor, and another would take them without a warning. */
const settings = (executable: string) => ({
  main: MAIN,
  mainFormat: 'module',
  executable,
  output: 'agent',
  disableExperimentalSEAWarning: true,
  useCodeCache: false,
  useSnapshot: false,
});

/** What one patch release writes another may not read: it would crash at its start (yao-pkg/pkg#247). */
async function checkVersion(node: string, wanted: string): Promise<void> {
  const { stdout } = await promisify(execFile)(node, ['--version']);
  if (stdout.trim() === `v${wanted}`) return;
  throw new Error(
    `the agent is built with Node ${wanted}, this is ${stdout.trim()}; put node_modules/.bin first on PATH`,
  );
}
