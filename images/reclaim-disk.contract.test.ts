import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@minifleet/clock/testing';
import { openBuilder, type SimulatedBuilder } from './testing/simulated-builder.ts';

const create = async ({ tart }: SimulatedBuilder, ...names: readonly string[]): Promise<void> => {
  for (const name of names) assert.equal((await tart.call(['create', name, '--linux', '--disk-size', '1'])).code, 0);
};

test('reclaim: leftovers of an earlier bake are removed, and no other VM (B3)', async context => {
  const builder = await openBuilder(context);
  const others = ['minifleet-bakery', 'my-minifleet-bake-1', 'pod-0b9f-1', 'tuist-runner'];
  await create(builder, 'minifleet-bake-runner-41-1', 'minifleet-bake-runner-41-1-check', ...others);
  const { code, stdout, stderr } = await builder.script('reclaim-disk.sh', ['0']);
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    /^removed minifleet-bake-runner-41-1\nremoved minifleet-bake-runner-41-1-check\n\d+ GB are free\n$/,
  );
  assert.deepEqual(await builder.vms(), others);
});

test('reclaim: a running bake is left alone', async context => {
  const builder = await openBuilder(context);
  await create(builder, 'minifleet-bake-running-1');
  const running = builder.tart.start(['run', 'minifleet-bake-running-1', '--no-graphics']);
  await eventually(async () => /running/.test((await builder.tart.call(['list'])).stdout));
  assert.equal((await builder.script('reclaim-disk.sh', ['0'])).code, 0);
  assert.deepEqual(await builder.vms(), ['minifleet-bake-running-1']);
  running.process.kill('SIGKILL');
});

test('I28 reclaim: a stopped VM that is being pushed stays, one with a longer name does not', async context => {
  const builder = await openBuilder(context, { host: { push: { diskSeconds: 300 } } });
  await create(builder, 'minifleet-bake-pushed-1', 'minifleet-bake-pushed-12');
  const pushing = builder.tart.start(['push', 'minifleet-bake-pushed-1', 'ghcr.io/acme/runner:1']);
  await eventually(() => pushing.stdout.includes('pushing disk'));
  const { stdout } = await builder.script('reclaim-disk.sh', ['0']);
  assert.match(stdout, /kept minifleet-bake-pushed-1: a running program uses it\nremoved minifleet-bake-pushed-12\n/);
  const outcome = await pushing.outcome;
  assert.equal(outcome.code, 0, outcome.stderr);
});

test('reclaim: with too little space cached images are removed, other VMs stay, and the missing space is named', async context => {
  const builder = await openBuilder(context);
  builder.registry.seedImage('acme/base:1');
  await builder.tart.call(['pull', 'ghcr.io/acme/base:1']);
  await create(builder, 'tuist-runner');
  const { code, stdout, stderr } = await builder.script('reclaim-disk.sh', ['1000000000']);
  assert.equal(code, 1);
  assert.match(stdout, /removing images not used for 1 days .*\n.*removing images not used for 0 days/);
  assert.match(stderr, /GB are free on .*, 1000000000 required, .* see docs\/vm-image-builder\.md/);
  assert.deepEqual((await builder.tart.call(['list', '--quiet'])).stdout, 'tuist-runner\n');
});

test('reclaim: if Tart cannot list its VMs, nothing is removed', async context => {
  const fault = { type: 'fail', code: 1, message: 'Error: cannot read' } as const;
  const builder = await openBuilder(context, {
    host: { faults: [{ kind: 'command', matches: 'tart list', times: 1, fault }] },
  });
  await create(builder, 'minifleet-bake-runner-41-1');
  assert.equal((await builder.script('reclaim-disk.sh', ['0'])).code, 1);
  assert.deepEqual(await builder.vms(), ['minifleet-bake-runner-41-1']);
});
