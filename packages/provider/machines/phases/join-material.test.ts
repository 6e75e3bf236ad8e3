import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { cluster, joinBench, LIFE } from '../../join/testing/join-bench.ts';
import { nodeOf, PROVIDER_ID } from '../../join/testing/machine.ts';
import type { MachineParts } from '../parts.ts';
import type { MachineScope } from '../scope.ts';
import { joinMaterialReady } from './join-material.ts';

test('A5 a token is at hand until the Node is registered with our providerID, and then it is gone', async context => {
  const bench = await joinBench(context);
  const parts = { clock: bench.clock, join: await bench.provider() } as unknown as MachineParts;
  const samm = await bench.machine('a');
  const passes: readonly [MachineScope['node'], number][] = [
    [undefined, 1],
    [nodeOf('a', ''), 1],
    [nodeOf('a', `${PROVIDER_ID}9`), 1],
    [nodeOf('a'), 0],
    [nodeOf('a'), 0],
    // Deleted by hand: its agent registers it again by its certificate, and has a token should that be gone, too.
    [undefined, 1],
  ];
  for (const [node, tokens] of passes) {
    const scope = { samm, cluster, node, found: {} } as unknown as MachineScope;
    const end = await joinMaterialReady.run(scope, parts);
    assert.equal(end.kind, 'passed');
    assert.equal((await bench.tokens()).length, tokens);
    assert.equal(scope.found.join === undefined, tokens === 0);
    assert.equal(end.again, tokens === 0 ? undefined : minutes(15));
  }
});

test('a machine that is passed over in time keeps its token alive by that alone', async context => {
  const bench = await joinBench(context);
  const parts = { clock: bench.clock, join: await bench.provider() } as unknown as MachineParts;
  const samm = await bench.machine('a');
  const texts = new Set<string>();
  for (let since = 0; since < 4 * LIFE; ) {
    const scope = { samm, cluster, node: undefined, found: {} } as unknown as MachineScope;
    const { again = LIFE } = await joinMaterialReady.run(scope, parts);
    texts.add(scope.found.join?.kubeconfig.reveal().toString() ?? '');
    await bench.clock.advance(again);
    since += again;
  }
  assert.equal(texts.size, 1);
});
