import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { after, before, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { noHostNetwork } from '../packages/local-cluster/testing/host-network-support.ts';
import { inSentences, type KubectlInSentences } from './testing/kubectl-in-sentences.ts';
import { IMAGE, type JoinedMac, type NodeBench, openNodeBench } from './testing/node-bench.ts';
import { processesOf } from './testing/processes-of.ts';

const skip = noHostNetwork;
const node = 'mini-01';
/** metrics-server asks every ten seconds, and has no figure before the second answer. */
const deadline = seconds(90);

let bench: NodeBench;
let mac: JoinedMac;
let kubectl: KubectlInSentences;
let first: Readonly<Record<Measured, Reading>>;

before(async () => {
  if (skip !== false) return;
  bench = await openNodeBench(1, ['metrics-server']);
  mac = await bench.join(node);
  kubectl = inSentences(bench.kubectl);
  await kubectl.createPod('works', { node, image: IMAGE, script: "trap 'exit 0' TERM; while :; do sleep 0.1; done" });
  await kubectl.reaches('works', 'Running');
  first = { node: await reading('node'), pod: await reading('pod') };
});
after(async () => {
  await bench?.stop();
  if (mac) assert.deepEqual(processesOf(mac.folder), [], 'nothing of the Mac is left running');
});

interface Use {
  readonly cores: number;
  readonly mebibytes: number;
}

/** The line of `kubectl top`, when there is one and no more: names, `250m` or `2` cores, `64Mi`; of a Node also percents. */
async function top(...argv: readonly string[]): Promise<(Use & { names: readonly string[] }) | undefined> {
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

type Measured = 'node' | 'pod';

interface Reading {
  readonly at: number;
  readonly cpuSeconds: number;
  readonly mebibytes: number;
}

const resourceMetrics = (): Promise<string> =>
  kubectl.ok('get', '--raw', `/api/v1/nodes/${node}/proxy/metrics/resource`);

/** What the agent itself says now. */
async function reading(of: Measured): Promise<Reading> {
  const text = await resourceMetrics();
  const read = (name: string): readonly number[] => {
    const line = new RegExp(`^${of}_${name}(?:{namespace="default",pod="works"})? (\\S+) (\\d+)$`, 'm').exec(text);
    assert.ok(line, text);
    return line.slice(1).map(Number);
  };
  const [cpuSeconds = 0, at = 0] = read('cpu_usage_seconds_total');
  return { at, cpuSeconds, mebibytes: (read('memory_working_set_bytes')[0] ?? 0) / 2 ** 20 };
}

/** Waits until `kubectl top` says what the agent has measured since the Pod runs, or at most so many times more or less. */
async function agrees(of: Measured, times: number, ...argv: readonly string[]): Promise<Use> {
  const isAbout = (figure: number, measured: number): void =>
    assert.ok(figure > measured / times && figure < measured * times, `kubectl: ${figure}, the agent: ${measured}`);
  return eventually(
    async () => {
      const use = await top(...argv);
      assert.ok(use, 'no figures yet');
      const now = await reading(of);
      isAbout(use.mebibytes, now.mebibytes);
      isAbout(use.cores, (now.cpuSeconds - first[of].cpuSeconds) / ((now.at - first[of].at) / 1_000));
      return use;
    },
    { deadline, interval: seconds(1), what: `kubectl top ${argv.join(' ')}` },
  );
}

test('kubectl top node tells what the Mac uses, as the agent measured it', { skip }, async t => {
  // The processors are this machine's, where other programs come and go between two looks.
  const use = await agrees('node', 4, 'node', node);
  t.diagnostic(`kubectl top node: ${use.cores} cores, ${use.mebibytes} MiB`);
  assert.ok(use.cores < availableParallelism() * 1.1);
  assert.deepEqual((await top('node'))?.names, [node]);
});

test('kubectl top pod tells what the guest uses, under the names of its Pod and container', { skip }, async t => {
  const use = await agrees('pod', 1.2, 'pod', 'works');
  t.diagnostic(`kubectl top pod: ${use.cores} cores, ${use.mebibytes} MiB`);
  assert.deepEqual((await top('pod'))?.names, ['works']);
  assert.deepEqual((await top('pod', '--containers'))?.names, ['works', 'main']);
});

test('a deleted Pod is gone from kubectl top, and the Node stays', { skip }, async () => {
  await kubectl.ok('delete', 'pod', 'works');
  const said = await eventually(
    async () => {
      const { code, stdout, stderr } = await bench.kubectl.run(['top', 'pod']);
      return code === 0 && stdout === '' && stderr;
    },
    { deadline, what: 'no Pod in kubectl top' },
  );
  assert.match(said, /No resources found/);
  assert.doesNotMatch(await resourceMetrics(), /pod="works"/);
  assert.ok(await top('node', node));
});
