/**
 * Pod controller of a node as a process that kills itself at a configured point: real guests on the simulated Tart, a real
 * API server. The process appends every point that it reaches to a file, so that a test knows all points.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { minutes, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type Client, connectClient, type Pod, readKubeconfig, silentLog } from '@minifleet/kube';
import { createGuests } from '../../guests/guests.ts';
import type { TartCli } from '../../guests/tart.ts';
import { agentOptions, type Simulated } from '../../guests/testing/agent-options.ts';
import { type LedgerFile, ledgerFile, openImageLedger } from '../../images/image-ledger.ts';
import { createImages } from '../../images/images.ts';

import { createPods } from '../../pods/pods.ts';
import { createSlotQueue } from '../../pods/slot-queue.ts';

export interface KillableAgentTask {
  readonly kubeconfig: string;
  readonly node: string;
  readonly simulated: Simulated;
  readonly state: string;
  readonly logs: string;
  /** Path of a file with all points that this process reached, one per line. */
  readonly points: string;
  /** Path of a file with a line for every agent that has listed its Pods. */
  readonly ready: string;
  /** Point at which the process kills itself. */
  readonly killAt: string | undefined;
}

const task = JSON.parse(process.argv[2] ?? '') as KillableAgentTask;

function reach(point: string): void {
  appendFileSync(task.points, `${point}\n`);
  if (point === task.killAt) process.kill(process.pid, 'SIGKILL');
}

/** Summary of a status write. A write that keeps the phase of a running Pod reports its deletion. */
function summarize({ body }: { readonly body: object }): string {
  const { status } = body as Pick<Pod, 'status'>;
  const states = Object.keys(status?.containerStatuses?.[0]?.state ?? {});
  const keepsPhase = status?.phase === undefined && !states.includes('waiting');
  return `status ${keepsPhase ? 'of a deletion' : [status?.phase, ...states].filter(Boolean).join(' ')}`;
}

function interceptClient(client: Client): Client {
  return {
    ...client,
    async patch(resource, key, patch, options) {
      const write = patch.type === 'json' ? 'patch' : summarize(patch);
      reach(`before ${write}`);
      const patched = await client.patch(resource, key, patch, options);
      reach(`after ${write}`);
      return patched;
    },
    async delete(resource, key, options) {
      reach('before delete of the Pod');
      await client.delete(resource, key, options);
      reach('after delete of the Pod');
    },
  };
}

/** Points named by the content of the ledger. The agent writes it before a pull, after a pull, and when it starts. */
function interceptLedger(file: LedgerFile): LedgerFile {
  return {
    ...file,
    async write(text) {
      const { pulling, images } = JSON.parse(text) as Record<'pulling' | 'images', object>;
      const content = Object.keys(pulling).length > 0 ? 'pulling' : Object.keys(images).length > 0 ? 'pulled' : 'empty';
      reach(`before images.json (${content})`);
      await file.write(text);
      reach(`after images.json (${content})`);
    },
  };
}

/** Point during a pull: Tart has reported the first part of the disk and may continue without the agent. */
const interceptPull =
  (of: TartCli): TartCli['pull'] =>
  (image, options) =>
    of.pull(image, {
      ...options,
      onProgress(line) {
        options.onProgress(line);
        if (/^\d+%/.test(line)) reach('during tart pull');
      },
    });

const options = agentOptions(task.simulated, task.state, (moment, [command]) => reach(`${moment} tart ${command}`));
const guests = createGuests({ ...options, onDurableWrite: (moment, file) => reach(`${moment} ${file}`) });
const { clock, log, tart } = options;
const ledger = await openImageLedger({
  file: interceptLedger(ledgerFile(join(task.state, 'images.json'))),
  clock,
  log,
});
await ledger.recover(reference => tart.digestOf(reference));
const slots = createSlotQueue({ total: 2 });
const stop = new AbortController();
const pods = createPods({
  nodeName: task.node,
  client: interceptClient(connectClient(readKubeconfig(task.kubeconfig), { clock: systemClock })),
  clock: systemClock,
  log: silentLog,
  events: { record: () => undefined, flush: () => Promise.resolve() },
  guests,
  images: createImages({ tart: { ...tart, pull: interceptPull(tart) }, clock, log, ledger }),
  slots,
  node: () => ({ name: task.node, labels: {}, allocatable: { cpu: '8', memory: '16Gi', pods: '9' }, addresses: [] }),
  directories: { state: task.state, logs: task.logs },
});
process.once('SIGTERM', () => {
  appendFileSync(join(task.state, 'slots'), `${slots.used} held, ${slots.waiting} waiting\n`);
  stop.abort();
});
void eventually(() => pods.synced, { deadline: minutes(1) }).then(() => appendFileSync(task.ready, 'ready\n'));
await pods.run(stop.signal);
process.exit(0);
