import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MacHost } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { findCondition } from '@minifleet/kube';
import { memoryId } from '@minifleet/vendors/testing';
import { type MachineBench, machineBench } from './testing/machine-bench.ts';

const servers = [1, 2, 3].map(number => ({ name: `tuist-pool-${number}` }));
const READ_ONLY: readonly string[] = ['images', 'server', 'servers'];

/**
 * Restores the backup of a day on which `a` and `b` had hosts. Afterwards, `c` got the host of `a`, and `d` a free one.
 * Returns also the effects on these two since the restore.
 */
async function restored(): Promise<{ readonly bench: MachineBench; readonly effects: () => string[] }> {
  const bench = await machineBench({ servers });
  await bench.cluster();
  const start = async (name: string): Promise<void> => {
    await bench.machine(name);
    await bench.join(name);
  };
  await start('a');
  await start('b');
  const backup = bench.api.backup();
  await bench.delete('a');
  bench.vendor.finish(memoryId(1));
  await bench.advance(minutes(5));
  await start('c');
  await start('d');
  assert.deepEqual(names(bench), ['c', 'b', 'd']);
  const since = bench.vendor.calls.length;
  const jobs = bench.jobs.requests.length;
  bench.api.restore(backup);
  await bench.settle();
  await bench.advance(minutes(30));
  const effects = (): string[] => [
    ...bench.vendor.calls.slice(since).flatMap(({ call }) => (READ_ONLY.includes(call) ? [] : [call])),
    ...bench.jobs.requests
      .slice(jobs)
      .flatMap(({ host: { metadata } }) => (metadata.name === memoryId(2) ? [] : ['job'])),
  ];
  return { bench, effects };
}

const names = ({ vendor }: MachineBench): string[] => vendor.all().map(({ name }) => name);

async function readyOf(bench: MachineBench, number: number): Promise<string> {
  const host = (await bench.host(memoryId(number))) as MacHost;
  const { status, message } = findCondition(host, 'Ready') ?? {};
  return `${status}: ${message}`;
}

describe('a provider after a restore of etcd from a backup of yesterday', () => {
  test('nothing is done to a Mac whose server was renamed after the backup, and its MacHost names the difference', async () => {
    const { bench, effects } = await restored();
    assert.deepEqual(effects(), []);
    assert.equal(
      await readyOf(bench, 1),
      'False: Serving: the server is named c at the vendor; nothing is done on the host until the server is named a or the Machine is deleted',
    );
    assert.equal(
      await readyOf(bench, 3),
      'False: Available: the server is named d at the vendor, outside the pool tuist-pool-',
    );
    await bench.stop();
  });

  test('a host whose server still has the name of its machine continues', async () => {
    const { bench } = await restored();
    assert.match(await readyOf(bench, 2), /^True/);
    assert.equal((await bench.condition('b', 'Ready'))?.status, 'True');
    await bench.stop();
  });

  test('a new configuration is not rolled out to a Mac whose server was renamed', async () => {
    const { bench, effects } = await restored();
    const machine = { spec: { ghActionsRunner: { ghOrg: 'acme', ghRunnerLabels: 'macos' } } };
    await bench.patch('a', machine);
    await bench.advance(minutes(60));
    assert.deepEqual(effects(), []);
    await bench.stop();
  });

  test('the deletion of the machine leaves the Mac to its user and ends the hold', async () => {
    const { bench, effects } = await restored();
    await bench.delete('a');
    assert.equal(await bench.find('a'), undefined);
    assert.equal((await bench.host(memoryId(1)))?.spec.consumerRef, undefined);
    assert.deepEqual(effects(), []);
    assert.deepEqual(names(bench), ['c', 'b', 'd']);
    await bench.stop();
  });

  test('a new machine claims no server that was renamed after the backup', async () => {
    const { bench } = await restored();
    await bench.machine('e');
    assert.match((await bench.condition('e', 'HostClaimed'))?.reason ?? '', /^NoHostAvailable$/);
    assert.deepEqual(names(bench), ['c', 'b', 'd']);
    await bench.stop();
  });
});
