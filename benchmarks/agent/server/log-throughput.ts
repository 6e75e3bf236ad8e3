import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { AgentMac } from '../../../e2e/testing/agent-mac.ts';
import type { NodeBench } from '../../../e2e/testing/node-bench.ts';
import { LOG_MEGABYTES } from '../names.ts';

const LINE = `2030-01-01T00:00:00.000000000Z stdout F ${'a line of a build, as long as most of them are '.repeat(2)}\n`;

/** The part of a line that kubectl prints. */
export const SHOWN = LINE.slice(LINE.indexOf(' F ') + 3);

/** Appends lines to the log of a running Pod in the format of its supervisor. */
export function fillLog(mac: AgentMac, pod: string): void {
  const logs = path.join(mac.folder, 'var/log/tart-kubelet/pods');
  const folder = readdirSync(logs).find(name => name.startsWith(`default_${pod}_`)) ?? '';
  const lines = LINE.repeat(Math.ceil(1e6 / SHOWN.length));
  const file = path.join(logs, folder, 'main', '0.log');
  for (let megabyte = 0; megabyte < LOG_MEGABYTES; megabyte++) appendFileSync(file, lines);
}

/** Megabytes per second of `kubectl logs`, from its start to its end. */
export async function kubectlLogsRate({ cluster, kubectl }: NodeBench, pod: string): Promise<number> {
  const argv = ['--kubeconfig', cluster.kubeconfigs.admin.path, 'logs', pod];
  const begun = performance.now();
  const child = spawn(kubectl.program, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0 || bytes < LOG_MEGABYTES * 1e6)
    throw new Error(`kubectl logs ended with ${code} after ${bytes} bytes`);
  return bytes / 1e3 / (performance.now() - begun);
}
