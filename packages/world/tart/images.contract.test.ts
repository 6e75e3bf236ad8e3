import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '@minifleet/clock/testing';
import { DISK_TYPE, type ImageManifest, layersOf } from '../oci/image-content.ts';
import { startRegistry } from '../registry/start-registry.ts';
import type { HostFile } from './host/host-file.ts';
import { makeTart } from './testing/make-tart.ts';
import { makeWorldDeps } from './testing/make-world-deps.ts';

/** A registry for ghcr.io, and a host configured for it. */
async function makeHost(context: { after(clean: () => Promise<void>): void }, host: HostFile = {}) {
  const deps = makeWorldDeps();
  const registry = await startRegistry({ deps });
  const settings = { ...host, registries: { 'ghcr.io': registry.url } };
  const tart = makeTart(settings);
  context.after(async () => {
    await tart.cleanUp();
    await registry.stop();
  });
  return { deps, registry, tart, change: (more: HostFile) => tart.change({ ...settings, ...more }) };
}

const IMAGE = 'ghcr.io/acme/runner:1';

test('a pulled image is listed twice, by tag and by digest, with its slashes escaped', async context => {
  const { registry, tart } = await makeHost(context);
  const { digest } = registry.seedImage('acme/runner:1');
  const pulled = await tart.call(['pull', IMAGE]);
  assert.equal(pulled.code, 0, pulled.stderr);
  assert.match(
    pulled.stdout,
    /^pulling ghcr.io\/acme\/runner:1\.\.\.\npulling manifest\.\.\.\npulling disk \(20\.0 GB compressed\)\.\.\.\n/,
  );
  assert.match(pulled.stdout, /100%\npulling NVRAM\.\.\.\n$/);
  assert.equal((await tart.call(['list', '-q'])).stdout, `${IMAGE}\nghcr.io/acme/runner@${digest}\n`);
  assert.match((await tart.call(['list', '--format', 'json'])).stdout, /"Name" : "ghcr\.io\\\/acme\\\/runner:1"/);
  assert.equal((await tart.call(['fqn', IMAGE])).stdout, `ghcr.io/acme/runner@${digest}\n`);
  const again = await tart.call(['pull', IMAGE]);
  assert.match(again.stdout, new RegExp(`ghcr.io/acme/runner@${digest} image is already cached and linked!`));
});

test('a moved tag leaves only the new digest in the image cache', async context => {
  const { registry, tart } = await makeHost(context);
  registry.seedImage('acme/runner:1');
  await tart.call(['pull', IMAGE]);
  const { digest } = registry.seedImage('acme/runner:1', { version: 'next' });
  await tart.call(['pull', IMAGE]);
  assert.equal((await tart.call(['list', '-q'])).stdout, `${IMAGE}\nghcr.io/acme/runner@${digest}\n`);
});

test('tart pull retries a lost connection and does not fetch complete layers again', async context => {
  const { deps, registry, tart } = await makeHost(context);
  registry.seedImage('acme/runner:1', { chunks: 3 });
  const manifest = registry.content.manifests.get('acme/runner')?.get('1')?.toString() ?? '';
  const second = layersOf(JSON.parse(manifest) as ImageManifest, DISK_TYPE)[1]?.digest ?? 'none';
  deps.faults.add({ detail: new RegExp(second), fault: { type: 'drop', when: 'during' }, times: 2 });
  const pulled = await tart.call(['pull', IMAGE]);
  assert.equal(pulled.code, 0, pulled.stderr);
  const retries = pulled.stdout.match(
    /Error pulling image: "The network connection was lost\.", attempting to re-try\.\.\./g,
  );
  assert.equal(retries?.length, 2);
  // Three chunks, two of them interrupted; config once per attempt, NVRAM once.
  assert.equal(registry.counts.get('GET blob'), 3 + 2 + 3 + 1);
});

test('tart pull does not retry an error of the registry', async context => {
  const { deps, registry, tart } = await makeHost(context);
  registry.seedImage('acme/runner:1');
  deps.faults.add({ detail: /manifests/, fault: { type: 'fail', code: 503, message: 'down' } });
  const pulled = await tart.call(['pull', IMAGE]);
  assert.equal(pulled.code, 1);
  assert.match(pulled.stderr, /^Error: UnexpectedHTTPStatusCode\(when: "pulling manifest", code: 503, details: /);
});

test('the data of a killed pull is removed by the next list, but reused by the next pull', async context => {
  const { registry, tart } = await makeHost(context, { pull: { bytesPerSecond: 1e8 } });
  registry.seedImage('acme/runner:1');
  const pulling = tart.start(['pull', IMAGE]);
  const temporary = join(tart.home, 'tmp');
  await eventually(() => pulling.stdout.includes('%'));
  await tart.call(['list']);
  assert.equal(readdirSync(temporary).filter(entry => !entry.startsWith('.')).length, 1, 'held by the pull');
  pulling.process.kill('SIGKILL');
  await pulling.outcome;
  await tart.call(['list']);
  assert.deepEqual(
    readdirSync(temporary).filter(entry => !entry.startsWith('.')),
    [],
  );
});

test('a full disk fails the pull with the message operators match; auto-prune frees space first', async context => {
  const { registry, tart, change } = await makeHost(context, { disk: { freeBytes: 30e9 } });
  registry.seedImage('acme/runner:1');
  registry.seedImage('acme/runner:2');
  const environment = { TART_NO_AUTO_PRUNE: '' };
  assert.equal((await tart.call(['pull', IMAGE], { environment })).code, 0);
  const refused = await tart.call(['pull', 'ghcr.io/acme/runner:2'], { environment });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /isn’t enough space/);
  change({ disk: { freeBytes: 30e9 } });
  assert.equal((await tart.call(['pull', 'ghcr.io/acme/runner:2'])).code, 0);
  assert.doesNotMatch((await tart.call(['list', '-q'])).stdout, /runner:1/);
});

test('I28 a VM deleted while its disk is pushed fails at nvram.bin after the disk', async context => {
  const { registry, tart, change } = await makeHost(context, { push: { holds: 'disk' } });
  await tart.call(['create', 'tuist-runner', '--from-ipsw', 'latest']);
  const pushing = tart.start(['push', 'tuist-runner', IMAGE]);
  await eventually(() => pushing.stdout.includes('pushing disk... this will take a while...'));
  assert.equal((await tart.call(['delete', 'tuist-runner'])).code, 0);
  change({ push: {} });
  const outcome = await pushing.outcome;
  assert.equal(outcome.code, 1);
  assert.match(outcome.stdout, /100%\npushing NVRAM\.\.\.\n$/);
  assert.match(outcome.stderr, /The file ["“]nvram\.bin["”] doesn['’]t exist/);
  assert.equal(registry.counts.get('PUT manifest'), undefined);
});

test('a push held at one of its parts continues when the host file releases it', async context => {
  const { registry, tart, change } = await makeHost(context, { push: { holds: 'disk' } });
  await tart.call(['create', 'baked', '--linux']);
  const pushing = tart.start(['push', 'baked', IMAGE]);
  await eventually(() => pushing.stdout.includes('pushing disk'));
  change({ push: { holds: 'nvram' } });
  await eventually(() => pushing.stdout.includes('pushing NVRAM'));
  assert.equal(registry.counts.get('PUT manifest'), undefined);
  change({ push: {} });
  assert.equal((await pushing.outcome).code, 0);
});

test('a pushed image can be pulled and cloned on another host', async context => {
  const { registry, tart } = await makeHost(context);
  await tart.call(['create', 'baked', '--linux', '--disk-size', '7']);
  const pushed = await tart.call(['push', 'baked', IMAGE]);
  assert.equal(pushed.code, 0, pushed.stderr);
  assert.match(pushed.stdout, /pushing manifest for ghcr\.io\/acme\/runner:1\.\.\.\n$/);
  const other = makeTart({ registries: { 'ghcr.io': registry.url } });
  context.after(() => other.cleanUp());
  assert.equal((await other.call(['clone', IMAGE, 'copy'])).code, 0);
  assert.match((await other.call(['get', 'copy', '--format', 'json'])).stdout, /"Disk" : 7/);
});

test('I25 tart login without a user session fails; credentials in the environment need no keychain', async context => {
  const deps = makeWorldDeps();
  const authorization = { scheme: 'bearer', username: 'robot', password: 'secret' } as const;
  const registry = await startRegistry({ deps, authorization });
  const tart = makeTart({ gui: false, registries: { 'ghcr.io': registry.url } });
  context.after(async () => {
    await tart.cleanUp();
    await registry.stop();
  });
  registry.seedImage('acme/runner:1');
  const login = await tart.call(['login', 'ghcr.io', '--username', 'robot', '--password-stdin'], { input: 'secret\n' });
  assert.equal(login.code, 1);
  assert.match(login.stderr, /User interaction is not allowed/);
  const environment = { TART_REGISTRY_USERNAME: 'robot', TART_REGISTRY_PASSWORD: 'secret' };
  assert.equal((await tart.call(['pull', IMAGE], { environment })).code, 0);
  const refused = await tart.call(['pull', 'ghcr.io/acme/runner:2']);
  assert.match(refused.stderr, /^Error: AuthFailed\(why: "received unexpected HTTP status code 403/);
});

test('two pulls from one registry run one after the other', async context => {
  const { registry, tart, change } = await makeHost(context, { pull: { bytesPerSecond: 1e8 } });
  registry.seedImage('acme/runner:1');
  const first = tart.start(['pull', IMAGE]);
  await eventually(() => first.stdout.includes('%'));
  const second = tart.start(['pull', IMAGE]);
  await eventually(() => second.stdout.includes('waiting for lock...\n'));
  change({ pull: {} });
  assert.match((await second.outcome).stdout, /already cached and linked!/);
  assert.equal((await first.outcome).code, 0);
});

test('host faults can delay, fail or hang a tart call', async context => {
  const fault = { type: 'fail', code: 1, message: 'database or disk is full' } as const;
  const { tart } = await makeHost(context, { faults: [{ kind: 'command', matches: '^tart list', times: 1, fault }] });
  const failed = await tart.call(['list']);
  assert.deepEqual([failed.code, failed.stderr], [1, 'database or disk is full\n']);
  assert.equal((await tart.call(['list'])).code, 0);
  assert.ok(existsSync(join(tart.world, 'journal.jsonl')));
});

test('a connection that stays broken fails the pull after five retries', async context => {
  const { deps, registry, tart } = await makeHost(context);
  registry.seedImage('acme/runner:1');
  deps.faults.add({ detail: /blobs/, fault: { type: 'drop', when: 'before' } });
  const pulled = await tart.call(['pull', IMAGE]);
  assert.deepEqual([pulled.code, pulled.stderr], [1, 'Error: The network connection was lost.\n']);
  assert.equal(pulled.stdout.match(/attempting to re-try/g)?.length, 5);
});

test('tart pull does not fetch layers that a cached image has', async context => {
  const { registry, tart } = await makeHost(context);
  registry.seedImage('acme/runner:1', { sharedChunks: 3 });
  registry.seedImage('acme/runner:2', { sharedChunks: 3 });
  await tart.call(['pull', IMAGE]);
  const before = registry.counts.get('GET blob') ?? 0;
  const pulled = await tart.call(['pull', 'ghcr.io/acme/runner:2']);
  assert.match(
    pulled.stdout,
    /found an image ghcr\.io\/acme\/runner@sha256:[0-9a-f]+ that will allow us to avoid fetching 15\.0 GB/,
  );
  // Config, the one different layer, NVRAM.
  assert.equal((registry.counts.get('GET blob') ?? 0) - before, 3);
});

test('deleting an image frees no space while a clone shares its blocks', async context => {
  const { registry, tart } = await makeHost(context, { disk: { freeBytes: 30e9 } });
  registry.seedImage('acme/runner:1');
  registry.seedImage('acme/runner:2');
  // By default, the clone would prune its own source to make room for the disk's maximum size.
  await tart.call(['clone', IMAGE, 'golden'], { environment: { TART_NO_AUTO_PRUNE: '1' } });
  assert.equal((await tart.call(['delete', IMAGE])).code, 0);
  assert.equal((await tart.call(['pull', 'ghcr.io/acme/runner:2'])).code, 1);
  await tart.call(['delete', 'golden']);
  assert.equal((await tart.call(['pull', 'ghcr.io/acme/runner:2'])).code, 0);
});

test('I30 Tart on an image’s disk cannot start a macOS guest within the guest', async context => {
  const { registry, tart } = await makeHost(context);
  registry.seedImage('acme/builder:1', { software: ['tart/2.32.1'] });
  await tart.call(['clone', 'ghcr.io/acme/builder:1', 'vm']);
  const running = tart.start(['run', 'vm', '--no-graphics']);
  const bake = 'tart create inner --from-ipsw latest && tart run inner --no-graphics';
  const nested = await eventually(async () => {
    const tried = await tart.call(['exec', 'vm', 'sh', '-c', bake]);
    return !/is not running|Tart Guest Agent/.test(tried.stderr) && tried;
  });
  assert.match(nested.stderr, /Virtualization is not available on this hardware\./);
  assert.equal((await tart.call(['list', '--source', 'local', '-q'])).stdout, 'vm\n');
  running.process.kill('SIGKILL');
  await running.outcome;
});
