import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PlannedStep, planRemoval, planStep } from '../../engine/step.ts';
import { type TestHost, testHost } from '../../testing/index.ts';
import { killedAtEveryCommand, type Victim } from '../../testing/killed-at-every-command.ts';
import { BLOCK } from './pf-conf.ts';
import {
  ANCHOR_FILE,
  breaches,
  byHand,
  filtered,
  install,
  pfOf,
  read,
  STANZA,
  WANT,
  write,
} from './testing/egress-host.ts';
import { vmEgress } from './vm-egress.ts';

const checkFiltered = (given: TestHost, killed: string): void => {
  assert.deepEqual(breaches(given), [], killed);
  assert.ok(pfOf(given.mac).tokens.size <= 2, `${killed}: one reference may be lost with the answer, no more`);
  assert.deepEqual(given.journal.gaps, [], killed);
};

const victim =
  (make: () => Promise<TestHost>, step: PlannedStep, check: typeof checkFiltered) => async (): Promise<Victim> => {
    const given = await make();
    return { given, steps: [step], check: killed => check(given, killed) };
  };

test('vm-egress on a fresh Mac killed at any command converges on the next run', async () => {
  const step = planStep(vmEgress, WANT);
  const commands = await killedAtEveryCommand(victim(async () => testHost(), step, checkFiltered));
  assert.equal(commands, 10);
});

test('I02 I04 vm-egress on a damaged host killed at any command converges on the next run', async () => {
  const step = planStep(vmEgress, WANT);
  const make = async (): Promise<TestHost> => {
    const given = testHost();
    write(
      given,
      ANCHOR_FILE,
      'table <vm_sources> persist { 192.168.64.0/22 }\nblock drop quick from <vm_sources> to any\n',
    );
    await byHand(given, `pfctl -a tuist.runners -f ${ANCHOR_FILE}; pfctl -t vm_sources -T add 10.0.0.1`);
    write(given, '/etc/pf.conf', `${read(given, '/etc/pf.conf')}${STANZA}${BLOCK}${STANZA}`);
    return given;
  };
  await killedAtEveryCommand(victim(make, step, checkFiltered));
});

test('a vm-egress removal killed at any command completes on the next run', async () => {
  const step = planRemoval(vmEgress);
  const make = async (): Promise<TestHost> => {
    const given = testHost();
    await install(given);
    return given;
  };
  const check = (given: TestHost, killed: string): void => {
    assert.deepEqual([filtered(given), pfOf(given.mac).enabled], [false, false], killed);
    assert.deepEqual(given.mac.files.list(given.root, '/etc/pf.anchors'), ['com.apple'], killed);
    assert.deepEqual(given.journal.gaps, [], killed);
  };
  await killedAtEveryCommand(victim(make, step, check));
});
