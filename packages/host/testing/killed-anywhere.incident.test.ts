import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlan } from '../engine/plan.ts';
import { current, drift } from '../engine/step.ts';
import { anyStep, fileStep, fileSteps } from '../engine/testing/small-steps.ts';
import { interruptions } from './interrupting-transport.ts';
import { type KilledRow, killedAnywhere } from './killed-anywhere.ts';

import { type TestHost, testHost } from './test-host.ts';

const FILES = ['/etc/minifleet-one', '/etc/minifleet-two', '/etc/minifleet-three', '/usr/local/etc/big'];

const filesOf = ({ mac, root }: TestHost): unknown =>
  FILES.map(path => {
    const { mode, uid, gid } = mac.files.stat(root, path);
    return [path, mode, uid, gid, mac.files.read(root, path).toString()];
  });

const big = fileStep('big', { path: '/usr/local/etc/big', content: 'much\n'.repeat(20_000) });
const plan = createPlan([...fileSteps('one', 'two'), big, ...fileSteps('three')]);

const notRecovered = ({ resumed, changesInThirdRun, ledgerTruthful, sameEnd }: KilledRow): boolean =>
  resumed !== 'converged' || changesInThirdRun !== 0 || !ledgerTruthful || !sameEnd;

test('after a kill at any command the next caller converges and the third changes nothing', async () => {
  const rows = await killedAnywhere({ makeHost: testHost, plan, endState: filesOf });
  assert.deepEqual(rows.filter(notRecovered), []);
  const commands = new Set(rows.map(({ command }) => command)).size;
  // One inspection of all steps, three commands for each of the four steps, one final ledger write.
  assert.equal(commands, 14);
  assert.equal(rows.length, commands * interruptions.length);
  assert.deepEqual([...new Set(rows.map(({ step }) => step))], ['(engine)', 'one', 'two', 'big', 'three']);
  const firsts = new Set(rows.map(({ how, first }) => `${how}: ${first}`));
  assert.ok(firsts.has('caller killed: killed'));
  assert.ok(firsts.has('lost before: failed HOST_CONNECTION_LOST'));
});

test('after a kill at any command a host with foreign files and a dead lease also converges', async () => {
  const makeHost = (): TestHost => {
    const given = testHost();
    for (const path of FILES.slice(0, 3)) given.mac.files.write(given.root, path, 'older\n');
    const lease = '/var/db/minifleet/lease.7';
    given.mac.files.makeDirectory(given.root, '/var/db/minifleet');
    given.mac.files.link(given.root, 'a-token someone dead', lease);
    given.mac.files.setModified(given.root, lease, 0, { followLinks: false });
    return given;
  };
  const rows = await killedAnywhere({ makeHost, plan, endState: filesOf, ways: ['lost during', 'caller killed'] });
  assert.deepEqual(rows.filter(notRecovered), []);
});

test('the kill harness detects a step that does not recover from a kill', async () => {
  const PATH = '/etc/fragile';
  // The step treats its unfinished file as complete.
  const fragile = anyStep('fragile', {
    inspect: async host => ((await host.readText(PATH)) === undefined ? drift('not there') : current()),
    async change(host) {
      await host.must(['/usr/bin/touch', PATH], { root: true });
      await host.writeFile({ path: PATH, mode: 0o644, owner: 'root:wheel' }, 'whole\n');
      return [];
    },
  });
  const endState = ({ mac, root }: TestHost): string => mac.files.read(root, PATH).toString();
  const rows = await killedAnywhere({ makeHost: testHost, plan: createPlan([fragile]), endState });
  const bad = rows.filter(notRecovered);
  assert.ok(bad.length > 0);
  assert.ok(bad.every(({ step }) => step === 'fragile'));
});
