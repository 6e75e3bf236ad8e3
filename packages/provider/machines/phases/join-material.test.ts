import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, timestamp } from '@minifleet/clock';
import { secrets } from '@minifleet/kube';
import { cluster, joinBench, LIFE } from '../../join/testing/join-bench.ts';
import { nodeOf, PROVIDER_ID } from '../../join/testing/machine.ts';
import type { MachineDeps, MachineScope } from '../machine-scope.ts';
import { settings } from '../testing/settings.ts';
import { joinMaterialReady } from './join-material.ts';

test('A5 a bootstrap token exists until the Node is registered with the providerID of its machine', async context => {
  const bench = await joinBench(context);
  const deps = { clock: bench.clock, join: await bench.provider(), settings } as unknown as MachineDeps;
  const machine = await bench.machine('a');
  const runs: readonly [MachineScope['node'], number][] = [
    [undefined, 1],
    [nodeOf('a', ''), 1],
    [nodeOf('a', `${PROVIDER_ID}9`), 1],
    [nodeOf('a'), 0],
    [nodeOf('a'), 0],
    // Deleted by hand: the agent registers it again with its certificate, or with a token if the certificate is lost.
    [undefined, 1],
  ];
  for (const [node, tokens] of runs) {
    const scope = { machine, cluster, node } as unknown as MachineScope;
    const end = await joinMaterialReady.run(scope, deps);
    assert.equal(end.kind, 'passed');
    assert.equal((await bench.tokens()).length, tokens);
    assert.equal(end.again, tokens === 0 ? undefined : minutes(15));
  }
});

test('the reconciles that the phase requests keep one bootstrap token alive', async context => {
  const bench = await joinBench(context);
  const deps = { clock: bench.clock, join: await bench.provider(), settings } as unknown as MachineDeps;
  const machine = await bench.machine('a');
  const uids = new Set<string | undefined>();
  for (let since = 0; since < 4 * LIFE; ) {
    const scope = { machine, cluster, node: undefined } as unknown as MachineScope;
    const { again = LIFE } = await joinMaterialReady.run(scope, deps);
    const [token] = await bench.tokens();
    assert.ok(token, `a ${secrets.kind} with a token exists`);
    uids.add(token.metadata.uid);
    await bench.clock.advance(again);
    since += again;
  }
  assert.equal(uids.size, 1);
});

test('a Node that has been silent for five minutes gets a bootstrap token until it reports again', async context => {
  const bench = await joinBench(context);
  const deps = { clock: bench.clock, join: await bench.provider(), settings } as unknown as MachineDeps;
  const machine = await bench.machine('a');
  const lastTransitionTime = timestamp(bench.clock.now());
  const run = async (status: 'True' | 'Unknown'): Promise<readonly [number, number | undefined]> => {
    const node = { ...nodeOf('a'), status: { conditions: [{ type: 'Ready', status, lastTransitionTime }] } };
    const { again } = await joinMaterialReady.run({ machine, cluster, node } as unknown as MachineScope, deps);
    return [(await bench.tokens()).length, again];
  };
  assert.deepEqual(await run('Unknown'), [0, minutes(5)]);
  await bench.clock.advance(minutes(5));
  assert.deepEqual(await run('Unknown'), [1, minutes(15)]);
  assert.deepEqual(await run('True'), [0, undefined]);
});
