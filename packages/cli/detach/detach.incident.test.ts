import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { eventually } from '@minifleet/clock/testing';
import { type MachineBench, machineBench, POOL } from '@minifleet/provider/testing/machines';
import { macHosts } from '../cluster/resources.ts';
import { commandLine } from '../testing/command-line.ts';

let bench: MachineBench;
beforeEach(async () => {
  bench = await machineBench({ servers: [{ name: `${POOL}1` }, { name: `${POOL}2` }] });
  await bench.cluster();
  await bench.machine('doomed');
  await bench.join('doomed');
});
afterEach(() => bench.stop());

const openCluster = () => ({ ...bench.api.client, close: async () => undefined });

test('I11 detach keeps the host: the deleted machine claims no other host and nothing is wiped', async () => {
  const host = (await bench.get('doomed')).spec.claimRef?.name ?? '';
  const command = commandLine({ clock: bench.clock, openCluster })('detach', 'doomed');
  await eventually(async () => (await bench.find('doomed'))?.metadata.deletionTimestamp);
  await eventually(async () => {
    await bench.settle();
    return (await bench.find('doomed')) === undefined;
  });
  const { code, output } = await command;
  assert.equal(code, 0);
  assert.match(output, /fleet\/doomed deleted\. Host .*: Retained by fleet\/doomed/);
  const { items } = await bench.api.client.list(macHosts);
  assert.deepEqual(
    items.map(({ spec }) => spec.consumerRef),
    [undefined, undefined],
  );
  assert.ok((await bench.host(host))?.spec.quarantine);
  assert.equal(bench.vendor.calls.filter(({ call }) => call === 'reinstall').length, 0);
  const names = (await bench.vendor.servers('fr-par-1')).map(({ name }) => name);
  assert.ok(names.includes('retained-doomed'));
  assert.equal(names.filter(name => name.startsWith(POOL)).length, 1, 'the other host was not touched');
});
