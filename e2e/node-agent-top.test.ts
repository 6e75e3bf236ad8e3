import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { after, before, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import { createKubectlDriver, type KubectlDriver } from './testing/kubectl-driver.ts';
import { IMAGE, type JoinedMac, type NodeBench, openNodeBench } from './testing/node-bench.ts';
import { findProcesses } from './testing/processes.ts';

const skip = noHostNetwork;
const node = 'mini-01';
/** metrics-server scrapes every ten seconds, and has no value before the second scrape. */
const deadline = seconds(90);

let bench: NodeBench;
let mac: JoinedMac;
let kubectl: KubectlDriver;
let first: Readonly<Record<MeasuredObject, ResourceReading>>;

before(async () => {
  if (skip !== false) return;
  bench = await openNodeBench(1, ['metrics-server']);
  mac = await bench.join(node);
  kubectl = createKubectlDriver(bench);
  await kubectl.createPod('works', { node, image: IMAGE, script: "trap 'exit 0' TERM; while :; do sleep 0.1; done" });
  await kubectl.awaitPhase('works', 'Running');
  first = { node: await reading('node'), pod: await reading('pod') };
});
after(async () => {
  await bench?.stop();
  if (mac) assert.deepEqual(findProcesses(mac.folder), [], 'processes of the Mac that still run');
});

interface ResourceUse {
  readonly cores: number;
  readonly mebibytes: number;
}

/** Parses the only line of `kubectl top`: names, `250m` or `2` cores, `64Mi`; for a Node also percentages. */
async function top(...argv: readonly string[]): Promise<(ResourceUse & { names: readonly string[] }) | undefined> {
  const { stdout } = await bench.kubectl.run(['top', ...argv, '--no-headers']);
  const found = /^((?:[a-z][\w-]* +)+)(\d+)(m?) +(?:\d+% +)?(\d+)Mi(?: +\d+%)? *\n$/.exec(stdout);
  if (!found) return undefined;
  const [, names = '', cpu, milli, memory] = found;
  return {
    names: names.trim().split(/ +/),
    cores: Number(cpu) / (milli === 'm' ? 1_000 : 1),
    mebibytes: Number(memory),
  };
}

type MeasuredObject = 'node' | 'pod';

interface ResourceReading {
  readonly at: number;
  readonly cpuSeconds: number;
  readonly mebibytes: number;
}

const resourceMetrics = (): Promise<string> =>
  kubectl.ok('get', '--raw', `/api/v1/nodes/${node}/proxy/metrics/resource`);

/** Reads the agent's own metrics. */
async function reading(of: MeasuredObject): Promise<ResourceReading> {
  const text = await resourceMetrics();
  const read = (name: string): readonly number[] => {
    const line = new RegExp(`^${of}_${name}(?:{namespace="default",pod="works"})? (\\S+) (\\d+)$`, 'm').exec(text);
    assert.ok(line, text);
    return line.slice(1).map(Number);
  };
  const [cpuSeconds = 0, at = 0] = read('cpu_usage_seconds_total');
  return { at, cpuSeconds, mebibytes: (read('memory_working_set_bytes')[0] ?? 0) / 2 ** 20 };
}

/** Waits until `kubectl top` matches the agent's measurement since the start of the Pod within the given factor. */
async function agrees(of: MeasuredObject, times: number, ...argv: readonly string[]): Promise<ResourceUse> {
  const isAbout = (figure: number, measured: number): void =>
    assert.ok(figure > measured / times && figure < measured * times, `kubectl: ${figure}, the agent: ${measured}`);
  return eventually(
    async () => {
      const use = await top(...argv);
      assert.ok(use, 'no values yet');
      const now = await reading(of);
      isAbout(use.mebibytes, now.mebibytes);
      isAbout(use.cores, (now.cpuSeconds - first[of].cpuSeconds) / ((now.at - first[of].at) / 1_000));
      return use;
    },
    { deadline, interval: seconds(1), what: `kubectl top ${argv.join(' ')}` },
  );
}

test('kubectl top node shows the usage of the Mac as measured by the agent', { skip }, async t => {
  // The CPU is that of this machine, whose load changes between two measurements.
  const use = await agrees('node', 4, 'node', node);
  t.diagnostic(`kubectl top node: ${use.cores} cores, ${use.mebibytes} MiB`);
  assert.ok(use.cores < availableParallelism() * 1.1);
  assert.deepEqual((await top('node'))?.names, [node]);
});

test('kubectl top pod shows the usage of the guest under its Pod and container name', { skip }, async t => {
  const use = await agrees('pod', 1.2, 'pod', 'works');
  t.diagnostic(`kubectl top pod: ${use.cores} cores, ${use.mebibytes} MiB`);
  assert.deepEqual((await top('pod'))?.names, ['works']);
  assert.deepEqual((await top('pod', '--containers'))?.names, ['works', 'main']);
});

test('kubectl top no longer lists a deleted Pod, but still its Node', { skip }, async () => {
  await kubectl.ok('delete', 'pod', 'works');
  const message = await eventually(
    async () => {
      const { code, stdout, stderr } = await bench.kubectl.run(['top', 'pod']);
      return code === 0 && stdout === '' && stderr;
    },
    { deadline, what: 'no Pod in kubectl top' },
  );
  assert.match(message, /No resources found/);
  assert.doesNotMatch(await resourceMetrics(), /pod="works"/);
  assert.ok(await top('node', node));
});
