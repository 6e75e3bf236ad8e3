import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { after, before, describe, type TestContext, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { addedTraces, macTraces } from '@minifleet/host/testing';
import { parse, stringify } from 'yaml';
import { consoleBlocks, matchesPage } from '../../docs/testing/console-blocks.ts';
import { ADDRESSES } from './addresses.ts';
import { clusterObjects } from './cluster-objects.ts';
import { createOperator } from './operator.ts';
import { openPodsBench, type PodsBench } from './pods-bench.ts';

const page = readFileSync(new URL('../../docs/your-own-cluster.md', import.meta.url), 'utf8');
const VALUES = 'docs/examples/own-cluster-owned.values.yaml';
const NEW_PODS = '--set provider.flags.log-level=debug --set runners.flags.log-level=debug';
const GATE =
  'kubectl get events -n minifleet-system --field-selector involvedObject.name=minifleet-fleet-gate,reason=Completed';

describe('docs/your-own-cluster.md with owned Macs, and the programs of the chart as Pods', () => {
  let bench: PodsBench;
  let values = '';
  let objects: readonly string[] = [];
  let traces: readonly (readonly string[])[] = [];
  before(async () => {
    bench = await openPodsBench();
    const addresses = parse(await readFile(bench.addressValues, 'utf8')) as object;
    values = await operator.write('values.yaml', stringify({ ...parse(await readFile(VALUES, 'utf8')), ...addresses }));
    objects = await clusterObjects(bench.shell);
    traces = await Promise.all(bench.world.ownedMacs().map(macTraces));
  });
  after(() => bench.stop());
  const operator = createOperator(() => bench);

  for (const { command, prints } of consoleBlocks(page)) {
    test(`docs/your-own-cluster.md: ${command}`, async t => {
      const check = await prepare(command, t);
      const printed = await operator.run(await adapted(command));
      assert.ok(matchesPage(printed, prints), `output:\n${printed}\nexpected from the page:\n${prints.join('\n')}`);
      await check();
    });
  }

  test('docs/your-own-cluster.md: after the last command, nothing of Minifleet is left in the cluster', async () => {
    const left = new Set(await clusterObjects(bench.shell)).difference(new Set(objects));
    assert.deepEqual([...left], []);
  });

  test('docs/your-own-cluster.md: after the last command, nothing of Minifleet is left on the Macs or at GitHub', async () => {
    const now = await Promise.all(bench.world.ownedMacs().map(macTraces));
    for (const [index, before] of traces.entries()) {
      assert.deepEqual(addedTraces(before, now[index] ?? []), [], `added on Mac ${index + 1}`);
      assert.deepEqual(addedTraces(now[index] ?? [], before), [], `missing on Mac ${index + 1}`);
    }
    assert.deepEqual(
      bench.world.github.state.runners.all.map(({ name }) => name),
      [],
    );
  });

  /** Does what happens outside the page before a command, and returns a check of its effects. */
  async function prepare(command: string, t: TestContext): Promise<() => void | Promise<void>> {
    if (command.startsWith('helm upgrade --install minifleet ')) operator.startTimer();
    if (command.includes('JobDone')) {
      assert.match(await operator.runJob(), /macOS/);
      return () => t.diagnostic(`${operator.elapsed()} from helm install to the first finished job`);
    }
    if (command.includes('fleetGate.enabled=true'))
      return async () => assert.match(await operator.run(GATE), /Job completed/);
    if (command.startsWith('kubectl delete runnerpools ')) {
      const job = bench.world.github.queueJob({ repository: 'acme/app', labels: ['macos-26'], takes: seconds(5) });
      await eventually(() => job.status === 'in_progress', { what: 'the job runs' });
      return () => assert.equal(job.conclusion, 'success', 'the pool is deleted after its running job');
    }
    return () => undefined;
  }

  /**
   * The only differences from the page: addresses and ids of the simulation, answers to the questions of `host add` and
   * `host remove`, and another log level instead of another version, so that an upgrade replaces the Pods.
   */
  async function adapted(command: string): Promise<string> {
    const { id, installationId, keyFile } = bench.world.githubApp;
    const text = command
      .replace(VALUES, values)
      .replace('app-id=123456', `app-id=${id}`)
      .replace('installation-id=12345678', `installation-id=${installationId}`)
      .replace('private-key=app.pem', `private-key=${keyFile}`)
      .replace('admin@', 'm1@');
    if (command.startsWith('helm upgrade minifleet ')) return `${text} ${NEW_PODS}`;
    if (command.startsWith('minifleet host remove ')) return `${text} --yes`;
    const mac = ADDRESSES.ownedMacs.findIndex(address => command.includes(`host add admin@${address} `));
    if (mac === -1) return text;
    const password = await operator.write(`password-${mac}`, bench.world.passwords[mac] ?? '');
    return `${text} --yes --accept-new-host-key --password-file ${password}`;
  }
});
