import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@minifleet/clock/testing';
import { digestOf } from '@minifleet/world/testing/oci';
import type { HostFault, TartResult } from '@minifleet/world/testing/tart';
import { openBuilder, type SimulatedBuilder, type SimulatedBuilderOptions } from './testing/simulated-builder.ts';

const VM = 'minifleet-bake-runner-7-1';
const IMAGE = 'ghcr.io/acme/runner:1';
const PASSWORD = 'registry-password-canary';
const CREDENTIALS = { TART_REGISTRY_USERNAME: 'robot', TART_REGISTRY_PASSWORD: PASSWORD };

interface Context {
  after(clean: () => Promise<void>): void;
}

async function baked(context: Context, options: SimulatedBuilderOptions = {}): Promise<SimulatedBuilder> {
  const authorization = { scheme: 'bearer', username: 'robot', password: PASSWORD } as const;
  // As in a job: there is no user who could unlock the keychain.
  const builder = await openBuilder(context, {
    authorization,
    ...options,
    host: { keychainLocked: true, ...options.host },
  });
  assert.equal((await builder.tart.call(['create', VM, '--linux', '--disk-size', '1'])).code, 0);
  return builder;
}

const refusing = (matches: string, status: number, times = 1): HostFault => ({
  kind: 'request',
  matches,
  times,
  fault: { type: 'fail', code: status, message: 'no' },
});

const push = (builder: SimulatedBuilder, environment: Readonly<Record<string, string>> = {}): Promise<TartResult> =>
  builder.script('push.sh', [VM, IMAGE], { ...CREDENTIALS, PUSH_PAUSES: '0 0', ...environment });

const pushes = (builder: SimulatedBuilder): number => builder.calls().filter(call => call.startsWith('push')).length;

test('push: it prints the published digest and leaves no copy on the host', async context => {
  const builder = await baked(context);
  const { code, stdout, stderr } = await push(builder);
  assert.equal(code, 0, stderr);
  const manifest = builder.registry.content.manifests.get('acme/runner')?.get('1') ?? Buffer.alloc(0);
  assert.equal(stdout, `ghcr.io/acme/runner@${digestOf(manifest)}\n`);
  assert.equal((await builder.tart.call(['list', '--quiet'])).stdout, `${VM}\n`);
});

test('I25 push: it does not log in, and credentials are in no argument and no output', async context => {
  const builder = await baked(context);
  const { stdout, stderr } = await push(builder);
  const output = [...builder.calls(), stdout, stderr].join('\n');
  assert.doesNotMatch(output, /login|robot|registry-password-canary/);
});

test('push: rejected and timed-out chunks are sent again', async context => {
  const builder = await baked(context, { host: { faults: [refusing('PUT .*uploads', 500), refusing('POST ', 429)] } });
  const { code, stdout, stderr } = await push(builder);
  assert.equal(code, 0, stderr);
  assert.equal(pushes(builder), 3);
  assert.match(stdout, /^ghcr\.io\/acme\/runner@sha256:[0-9a-f]{64}\n$/);
});

test('push: after the last attempt it fails with the registry’s error message', async context => {
  const builder = await baked(context, { host: { faults: [refusing('PUT ', 503, 99)] } });
  const { code, stdout, stderr } = await push(builder);
  assert.equal(code, 1);
  assert.equal(pushes(builder), 3);
  assert.equal(stdout, '');
  assert.match(stderr, /code: 503[\s\S]*was not pushed: every attempt failed/);
});

test('push: rejected credentials are tried only once', async context => {
  const builder = await baked(context);
  const { code, stderr } = await push(builder, { TART_REGISTRY_PASSWORD: 'another' });
  assert.equal(code, 2, stderr);
  assert.equal(pushes(builder), 1);
  assert.match(stderr, /rejects these credentials for ghcr\.io\/acme\/runner:1/);
});

test('push: without credentials nothing is started', async context => {
  const builder = await baked(context);
  const { code, stderr } = await push(builder, { TART_REGISTRY_PASSWORD: '' });
  assert.equal(code, 2);
  assert.match(stderr, /TART_REGISTRY_PASSWORD is not set/);
  assert.deepEqual(builder.calls(), []);
});

test('I28 push: a VM removed during the push is named as the cause, and not pushed again', async context => {
  const builder = await baked(context, { host: { push: { diskSeconds: 300 } } });
  const pushing = push(builder);
  // Its config is uploaded, so the disk upload is in progress, and Tart no longer holds a lock.
  await eventually(() => [...builder.registry.counts.keys()].some(asked => asked.startsWith('PUT')));
  assert.equal((await builder.tart.call(['delete', VM])).code, 0);
  const { code, stderr } = await pushing;
  assert.equal(code, 2, stderr);
  assert.equal(pushes(builder), 1);
  assert.match(stderr, /was removed from this host while it was pushed \(I28\)/);
});
