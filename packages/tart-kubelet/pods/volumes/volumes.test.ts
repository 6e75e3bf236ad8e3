import assert from 'node:assert/strict';
import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { configMaps, pods, secrets } from '@minifleet/kube';
import { openPodsBench, type PodsBench, type SpecChange } from '../testing/pods-bench.ts';

const metadata = { namespace: 'default', name: 'settings' };
const encode = (text: string): string => Buffer.from(text).toString('base64');

const everyKind: SpecChange = {
  volumes: [
    { name: 'config', configMap: { name: 'settings', items: [{ key: 'colour', path: 'deep/colour', mode: 0o600 }] } },
    { name: 'secret', secret: { secretName: 'settings', defaultMode: 0o400 } },
    { name: 'work', emptyDir: {} },
    { name: 'maybe', configMap: { name: 'absent', optional: true } },
    { name: 'about', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
    {
      name: 'token',
      projected: {
        sources: [
          { serviceAccountToken: { path: 'token', expirationSeconds: 3600 } },
          { configMap: { name: 'settings' } },
          { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
        ],
      },
    },
  ],
  container: { volumeMounts: [{ name: 'config', mountPath: '/etc/config' }] },
};

async function open(): Promise<PodsBench> {
  const bench = await openPodsBench({
    async before(client) {
      await client.create(configMaps, { metadata, data: { colour: 'red' } });
      await client.create(secrets, { metadata, data: { key: encode('hush') } });
    },
  });
  await bench.create('one', everyKind, { labels: { team: 'ios' } });
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  return bench;
}

const share = (bench: PodsBench, name: string) => bench.guests.started[0]?.shares.find(one => one.name === name);
const read = (bench: PodsBench, name: string, file: string): string =>
  readFileSync(`${share(bench, name)?.path}/${file}`, 'utf8');

test('every volume is a share with its files, and only emptyDir is writable', async () => {
  await using bench = await open();
  assert.equal(read(bench, 'config', 'deep/colour'), 'red');
  assert.equal(read(bench, 'secret', 'key'), 'hush');
  assert.equal(statSync(`${share(bench, 'secret')?.path}/key`).mode & 0o777, 0o400);
  assert.equal(statSync(`${share(bench, 'config')?.path}/deep/colour`).mode & 0o777, 0o600);
  assert.equal(read(bench, 'about', 'labels'), 'team="ios"');
  assert.match(read(bench, 'token', 'token'), /^token-/);
  assert.deepEqual([read(bench, 'token', 'colour'), read(bench, 'token', 'namespace')], ['red', 'default']);
  assert.deepEqual(
    readdirSync(share(bench, 'maybe')?.path ?? '').filter(name => !name.startsWith('..')),
    [],
  );
  const writable = bench.guests.started[0]?.shares.filter(({ readOnly }) => !readOnly).map(({ name }) => name);
  assert.deepEqual(writable, ['work']);
  assert.match(read(bench, 'env', 'mounts'), /^\/etc\/config\t\/Volumes\/My Shared Files\/config$/m);
  assert.ok(bench.reasons().includes('VolumesShared'));
});

test('a changed ConfigMap volume is swapped atomically through the ..data link', async () => {
  await using bench = await open();
  const at = share(bench, 'config')?.path ?? '';
  assert.equal(readlinkSync(`${at}/deep`), '..data/deep');
  const before = readlinkSync(`${at}/..data`);
  await bench.api.client.patch(configMaps, metadata, { type: 'merge', body: { data: { colour: 'blue' } } });
  await bench.until(() => read(bench, 'config', 'deep/colour') === 'blue');
  assert.notEqual(readlinkSync(`${at}/..data`), before);
  await bench.until(() => readdirSync(at).length === 3, { what: 'the old files to go' });
  assert.ok(lstatSync(`${at}/deep`).isSymbolicLink());
  await bench.until(() => read(bench, 'token', 'colour') === 'blue');
});

test('changed Pod labels are updated in the downward API files', async () => {
  await using bench = await open();
  const body = { metadata: { labels: { team: 'android' } } };
  await bench.api.client.patch(pods, { namespace: 'default', name: 'one' }, { type: 'merge', body });
  await bench.until(() => read(bench, 'about', 'labels') === 'team="android"');
});

test('a projected ServiceAccount token is renewed after 80 % of its lifetime', async () => {
  await using bench = await open();
  const first = read(bench, 'token', 'token');
  await bench.advance(minutes(47));
  assert.equal(read(bench, 'token', 'token'), first);
  await bench.advance(minutes(2));
  await bench.until(() => read(bench, 'token', 'token') !== first);
});

test('a Pod waits for the missing ConfigMap of a volume and has a FailedMount event', async () => {
  await using bench = await openPodsBench();
  await bench.create('one', { volumes: [{ name: 'config', configMap: { name: 'settings' } }] });
  await bench.until(
    async () => (await bench.container('one'))?.state?.waiting?.reason === 'CreateContainerConfigError',
  );
  const note = bench.events.find(({ reason }) => reason === 'FailedMount')?.note;
  assert.equal(note, 'MountVolume.SetUp failed for volume "config": configmap "settings" not found');
  await bench.api.client.create(configMaps, { metadata, data: { colour: 'red' } });
  await bench.advance(seconds(10));
  await bench.until(async () => (await bench.phase('one')) === 'Running');
});

test('the files of a deleted Pod are removed', async () => {
  await using bench = await open();
  await bench.delete('one');
  await bench.until(async () => (await bench.get('one')) === undefined);
  await bench.until(() => readdirSync(`${bench.directory}/state/pods`).length === 0);
});

test('a volume item path that leads outside the volume is rejected', async () => {
  await using bench = await openPodsBench();
  await bench.api.client.create(configMaps, { metadata, data: { colour: 'red' } });
  const items = [{ key: 'colour', path: '../../escape' }];
  await bench.create('one', { volumes: [{ name: 'config', configMap: { name: 'settings', items } }] });
  await bench.until(
    async () => (await bench.container('one'))?.state?.waiting?.reason === 'CreateContainerConfigError',
  );
  assert.match((await bench.container('one'))?.state?.waiting?.message ?? '', /leads outside the volume/);
});
