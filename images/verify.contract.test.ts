import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openBuilder, type SimulatedBuilder, type SimulatedBuilderOptions } from './testing/simulated-builder.ts';

const VM = 'minifleet-bake-runner-7-1';
const PATIENCE = { VERIFY_ATTEMPTS: '3', VERIFY_PAUSE: '0' };

interface Context {
  after(clean: () => Promise<void>): void;
}

/** A VM whose disk has an executable file. */
async function baked(context: Context, file: string, options: SimulatedBuilderOptions = {}): Promise<SimulatedBuilder> {
  const builder = await openBuilder(context, options);
  assert.equal((await builder.tart.call(['create', VM, '--from-ipsw', 'latest'])).code, 0);
  const path = join(builder.tart.home, 'vms', VM, '.guest', file);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, 0o755);
  return builder;
}

test('verify: an image that boots, logs in and has a runner passes, and nothing is left behind', async context => {
  const builder = await baked(context, 'Users/admin/actions-runner/run.sh');
  const { code, stdout, stderr } = await builder.script('verify.sh', ['runner', VM], { VERIFY_PAUSE: '0' });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /boots, its guest agent responds, and the program of a Pod is installed/);
  assert.deepEqual(await builder.vms(), [VM]);
});

test('verify: an image without its runner fails', async context => {
  const builder = await baked(context, 'Users/admin/run.sh');
  const { code, stderr } = await builder.script('verify.sh', ['runner', VM], { VERIFY_PAUSE: '0' });
  assert.equal(code, 1);
  assert.match(stderr, /boots, but this check failed: test -x "\$HOME\/actions-runner\/run\.sh"/);
  assert.deepEqual(await builder.vms(), [VM]);
});

test('verify: an image whose guest agent never responds fails with the reason', async context => {
  const host = { guests: { default: { agent: 'missing' } } } as const;
  const builder = await baked(context, 'Users/admin/actions-runner/run.sh', { host });
  const { code, stderr } = await builder.script('verify.sh', ['runner', VM], PATIENCE);
  assert.equal(code, 1);
  assert.match(stderr, /does not respond: no user is logged in to the GUI session, or the agent was not started/);
  assert.deepEqual(await builder.vms(), [VM]);
});

test('verify: a VM that does not start fails with Tart’s message', async context => {
  const builder = await baked(context, 'Users/admin/actions-runner/run.sh', { host: { gui: false } });
  const { code, stderr } = await builder.script('verify.sh', ['runner', VM], { VERIFY_PAUSE: '0' });
  assert.equal(code, 1);
  assert.match(stderr, /ended before its guest agent responded: [\s\S]*VZErrorDomain Code=-9/);
});
