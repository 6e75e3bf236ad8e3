import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type Client, nodes, pods } from '@minifleet/kube';
import { podSpec } from '../../../e2e/testing/kubectl-driver.ts';
import { IMAGE, openNodeBench } from '../../../e2e/testing/node-bench.ts';
import type { Progress } from '../../benchmark.ts';
import { median } from '../../report/percentile.ts';
import { IDLE } from '../names.ts';
import { type ExecRoundTrip, execRoundTrip } from '../server/exec-round-trip.ts';
import { fillLog, kubectlLogsRate } from '../server/log-throughput.ts';
import { startPlainNode } from '../server/plain-node.ts';
import { serverLogsRate } from '../server/server-rate.ts';
import { type IdleFigures, measureIdle } from './idle.ts';
import { type JoinFigures, startToReady } from './start-to-ready.ts';

export interface AgentHostFigures {
  readonly start: Pick<JoinFigures, 'registeredMs' | 'readyMs'>;
  readonly idle: IdleFigures;
  readonly exec: ExecRoundTrip;
  /** Megabytes per second. */
  readonly logs: { readonly server: number; readonly minifleet: number; readonly ceiling: number };
}

const MAC = 'mini-01';
const RUNS = 3;

/** Measures the built executable under launchd of a simulated Mac, with guests of the simulated Tart. */
export async function measureHost(progress: Progress): Promise<AgentHostFigures> {
  progress('the built agent: a Mac joins');
  const bench = await openNodeBench(1);
  try {
    const { mac, registeredMs, readyMs } = await startToReady(bench, MAC);
    for (let guest = 0; guest < IDLE.guests; guest++) await runPod(bench.admin, `guest-${guest}`);
    progress(`idle with ${IDLE.guests} guests for ${IDLE.seconds} s`);
    const idle = await measureIdle(mac);
    progress('exec');
    const exec = await execRoundTrip(bench, 'guest-0');
    progress('logs');
    const logs = await measureLogs(bench, mac);
    return { start: { registeredMs, readyMs }, idle, exec, logs };
  } finally {
    await bench.stop();
  }
}

async function measureLogs(
  bench: Awaited<ReturnType<typeof openNodeBench>>,
  mac: JoinFigures['mac'],
): Promise<AgentHostFigures['logs']> {
  fillLog(mac, 'guest-0');
  const { status } = await bench.admin.get(nodes, { name: MAC });
  const address = status?.addresses?.[0]?.address ?? '';
  const plain = await startPlainNode(bench, address);
  const rates = { server: [] as number[], minifleet: [] as number[], ceiling: [] as number[] };
  for (let run = 0; run < RUNS; run++) {
    rates.server.push(await serverLogsRate(bench, address, 'guest-0'));
    rates.minifleet.push(await kubectlLogsRate(bench, 'guest-0'));
    rates.ceiling.push(await kubectlLogsRate(bench, 'plain'));
  }
  plain.stop();
  return { server: median(rates.server), minifleet: median(rates.minifleet), ceiling: median(rates.ceiling) };
}

async function runPod(admin: Client, name: string): Promise<void> {
  const key = { namespace: 'default', name };
  // A process that never wakes up, so that only the agent is measured.
  const spec = podSpec({ node: MAC, image: IMAGE, script: 'exec sleep 3600' });
  await admin.create(pods, { metadata: key, spec: spec as never });
  await eventually(async () => (await admin.get(pods, key)).status?.phase === 'Running', {
    what: `${name} to be Running`,
    deadline: seconds(60),
  });
}
