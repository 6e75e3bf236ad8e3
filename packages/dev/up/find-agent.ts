import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Reporter } from '@minifleet/local-cluster';

const BUILD = fileURLToPath(new URL('../../tart-kubelet/build/main.ts', import.meta.url));

/** The node agent as an executable of this machine, built once for each content; undefined, with a note, where there is none. */
export async function findAgent(reporter: Reporter): Promise<string | undefined> {
  const step = reporter.step('node agent');
  const child = spawn(process.execPath, [BUILD], { stdio: ['ignore', 'pipe', 'pipe'] });
  let path = '';
  let words = '';
  child.stdout.on('data', (chunk: Buffer) => {
    path += chunk.toString();
  });
  createInterface({ input: child.stderr }).on('line', line => {
    words = line;
    step.update(line);
  });
  const code = await new Promise<number | null>(resolve => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
  if (code === 0) {
    step.done();
    return path.trim();
  }
  step.failed(`${words || 'it cannot be built'}; the Macs do not join as Nodes`);
  return undefined;
}
