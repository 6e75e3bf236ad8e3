import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { FORGE_BUSY } from '@minifleet/forges';
import { describeFailure } from '../machines/phase.ts';
import { buildersBench, failure, NAMESPACE, refused, SPEC } from './testing/builders-bench.ts';

describe('runner state of a builder', () => {
  const states = [
    ['online', { state: 'online' }],
    ['offline', { state: 'offline' }],
    ['busy', { state: 'online', busy: true }],
    ['busy', { state: 'offline', busy: true }],
  ] as const;
  for (const [seen, runner] of states) {
    test(`runner state is ${seen} for ${JSON.stringify(runner)}`, async () => {
      const { runners } = await buildersBench({ runners: [{ name: 'mini-01', ...runner }] });
      assert.equal(await runners.state(NAMESPACE, SPEC, 'mini-01'), seen);
    });
  }

  test('one runner list serves all machines for half a minute', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `mini-${index}`);
    const { runners, clock, called } = await buildersBench({ runners: names.map(name => ({ name })) });
    const askAll = () => Promise.all(names.map(name => runners.state(NAMESPACE, SPEC, name)));
    assert.deepEqual(new Set(await askAll()), new Set(['online']));
    await clock.advance(seconds(29));
    await askAll();
    assert.equal(called('runners'), 1);
    await clock.advance(seconds(1));
    await askAll();
    assert.deepEqual([called('runners'), called('runner')], [2, 0]);
  });

  test('a runner is absent only if the lookup by name does not find it either', async () => {
    const { runners, forge, called } = await buildersBench();
    assert.equal(await runners.state(NAMESPACE, SPEC, 'mini-01'), 'absent');
    forge.put({ name: 'mini-01' });
    assert.equal(await runners.state(NAMESPACE, SPEC, 'mini-01'), 'online');
    assert.equal(called('runners'), 1);
  });

  test('a runner that comes online is online although the cached list has it offline', async () => {
    const { runners, forge, called } = await buildersBench({ runners: [{ name: 'mini-01', state: 'offline' }] });
    assert.equal(await runners.state(NAMESPACE, SPEC, 'mini-01'), 'offline');
    forge.connect('mini-01');
    assert.equal(await runners.state(NAMESPACE, SPEC, 'mini-01'), 'online');
    assert.equal(called('runners'), 1);
  });

  test('a failed runner lookup is not cached', async () => {
    const { runners, forge } = await buildersBench({ runners: [{ name: 'mini-01' }] });
    forge.failNext({ call: 'runners', when: 'before', error: FORGE_BUSY({ forge: 'memory', call: 'runners' }) });
    const error = await failure(runners.state(NAMESPACE, SPEC, 'mini-01'));
    assert.equal(describeFailure('BuilderRunnerOnline', error).reason, 'ForgeUnavailable');
    assert.equal(await runners.state(NAMESPACE, SPEC, 'mini-01'), 'online');
  });

  test('a GitHub App without permissions gives ForgeUnavailable and a retry every 5 minutes', async () => {
    const { runners, forge } = await buildersBench();
    forge.failNext({ call: 'runners', when: 'before', error: refused });
    const error = await failure(runners.state(NAMESPACE, SPEC, 'mini-01'));
    assert.equal(describeFailure('BuilderRunnerOnline', error).reason, 'ForgeUnavailable');
    assert.deepEqual((error as { retry: unknown }).retry, { after: minutes(5) });
  });
});
