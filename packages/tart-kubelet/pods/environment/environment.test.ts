import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { milliseconds, seconds } from '@minifleet/clock';
import { configMaps, secrets } from '@minifleet/kube';
import { ADDRESS_IN_PROCESS } from '../../guests/guest.ts';
import { openPodsBench, type PodsBench, storedPod } from '../testing/pods-bench.ts';
import { expand } from './environment.ts';
import { guestProcess } from './environment-share.ts';

const from = (source: object) => ({ valueFrom: source });

test('$(VAR) expands known variables, $$ escapes, and unknown references stay', () => {
  const known = new Map([['A', '1']]);
  assert.equal(expand('$(A) $$(A) $(B) $A $$', known), '1 $(A) $(B) $A $');
});

test('command and args are the guest process and are expanded; without them there is no process', () => {
  const pod = storedPod('a', { container: { command: ['sh', '-c'], args: ['echo $(A)'], workingDir: '/tmp' } });
  const made = guestProcess(pod, new Map([['A', '1']]));
  assert.deepEqual(made?.argv, ['sh', '-c', 'echo 1']);
  assert.equal(made?.workingDirectory, '/tmp');
  assert.match(made?.environmentFile ?? '', /^\/Volumes\/My Shared Files\/env\//);
  assert.equal(guestProcess(storedPod('a'), new Map()), undefined);
});

test('the environment contains literals, ConfigMaps, Secrets, the downward API and resources', async () => {
  await using bench = await openPodsBench({
    async before(client) {
      const metadata = { namespace: 'default', name: 'settings' };
      await client.create(configMaps, { metadata, data: { colour: 'red', size: 'L' } });
      await client.create(secrets, { metadata, data: { key: Buffer.from('hush\nhush').toString('base64') } });
    },
  });
  await bench.create(
    'one',
    {
      serviceAccountName: 'builder',
      container: {
        resources: { requests: { cpu: '1500m' }, limits: { memory: '4Gi' } },
        envFrom: [
          { prefix: 'CFG_', configMapRef: { name: 'settings' } },
          { secretRef: { name: 'absent', optional: true } },
        ],
        env: [
          { name: 'PLAIN', value: 'a' },
          { name: 'TWICE', value: '$(PLAIN)$(PLAIN) $(CFG_colour)' },
          { name: 'CFG_size', value: 'XL' },
          { name: 'KEY', ...from({ secretKeyRef: { name: 'settings', key: 'key' } }) },
          { name: 'NONE', ...from({ configMapKeyRef: { name: 'settings', key: 'absent', optional: true } }) },
          { name: 'POD', ...from({ fieldRef: { fieldPath: 'metadata.name' } }) },
          { name: 'TEAM', ...from({ fieldRef: { fieldPath: "metadata.labels['team']" } }) },
          { name: 'NODE', ...from({ fieldRef: { fieldPath: 'spec.nodeName' } }) },
          { name: 'ACCOUNT', ...from({ fieldRef: { fieldPath: 'spec.serviceAccountName' } }) },
          { name: 'HOST', ...from({ fieldRef: { fieldPath: 'status.hostIP' } }) },
          { name: 'CORES', ...from({ resourceFieldRef: { resource: 'requests.cpu' } }) },
          { name: 'MEMORY', ...from({ resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } }) },
          { name: 'ALL_CORES', ...from({ resourceFieldRef: { resource: 'limits.cpu' } }) },
        ],
      },
    },
    { labels: { team: 'ios' } },
  );
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  const share = bench.guests.started[0]?.shares.find(({ name }) => name === 'env');
  assert.equal(share?.readOnly, true);
  const read = (file: string): string => readFileSync(`${share?.path}/${file}`, 'utf8');
  const expected = {
    CFG_colour: 'red',
    CFG_size: 'XL',
    PLAIN: 'a',
    TWICE: 'aa red',
    KEY: 'hush\nhush',
    POD: 'one',
    TEAM: 'ios',
    NODE: 'mac-1',
    ACCOUNT: 'builder',
    HOST: '10.0.0.1',
    CORES: '2',
    MEMORY: '4096',
    ALL_CORES: '8',
  };
  assert.deepEqual(
    Object.fromEntries(
      read('environment')
        .split('\0')
        .map(entry => entry.split(/=(.*)/s).slice(0, 2)),
    ),
    expected,
  );
  assert.match(read('tuist.env'), /^KEY=hush\\nhush$/m);
  assert.deepEqual([bench.guests.started[0]?.cpus, bench.guests.started[0]?.memoryMegabytes], [1, 4096]);
});

test('status.podIP is expanded in variables, nested variables and the command', async () => {
  await using bench = await openPodsBench();
  const env = [
    { name: 'IP', ...from({ fieldRef: { fieldPath: 'status.podIP' } }) },
    { name: 'IPS', ...from({ fieldRef: { fieldPath: 'status.podIPs' } }) },
    { name: 'URL', value: 'http://$(IP):80' },
    { name: 'PLAIN', value: 'a' },
  ];
  await bench.create('one', { container: { command: ['serve', '--address=$(IP)'], env } });
  await bench.until(async () => (await bench.phase('one')) === 'Running');
  const [spec] = bench.guests.started;
  const read = (file: string): string => readFileSync(`${spec?.shares[0]?.path}/${file}`, 'utf8');
  const address = ADDRESS_IN_PROCESS;
  assert.deepEqual(spec?.process?.argv, ['serve', `--address=${address}`]);
  const entries = read('environment').split('\0');
  assert.deepEqual(entries, [`IP=${address}`, `IPS=${address}`, `URL=http://${address}:80`, 'PLAIN=a']);
  assert.equal(read('tuist.env'), 'PLAIN=a\n', 'read at boot, when there is no address');
});

test('a Pod waits with CreateContainerConfigError for a missing ConfigMap', async () => {
  await using bench = await openPodsBench();
  const env = [{ name: 'A', ...from({ configMapKeyRef: { name: 'late', key: 'a' } }) }];
  await bench.create('one', { container: { env } });
  await bench.until(
    async () => (await bench.container('one'))?.state?.waiting?.reason === 'CreateContainerConfigError',
  );
  assert.equal((await bench.container('one'))?.state?.waiting?.message, 'configmap "late" not found');
  await bench.api.client.create(configMaps, { metadata: { namespace: 'default', name: 'late' }, data: { a: '1' } });
  await bench.advance(seconds(10));
  await bench.until(async () => (await bench.phase('one')) === 'Running');
});

async function refusedTimes(times: number): Promise<PodsBench> {
  const bench = await openPodsBench();
  await bench.api.client.create(configMaps, { metadata: { namespace: 'default', name: 'settings' }, data: { a: '1' } });
  bench.api.faults.failNext({ match: { path: /configmaps/ }, status: 403, reason: 'Forbidden', times });
  await bench.create('one', { container: { envFrom: [{ configMapRef: { name: 'settings' } }] } });
  return bench;
}

const running = (bench: PodsBench): Promise<unknown> =>
  bench.until(async () => {
    await bench.advance(milliseconds(10));
    return (await bench.phase('one')) === 'Running';
  });

test('a short 403 for a ConfigMap of a new Pod is retried without an event', async () => {
  await using bench = await refusedTimes(2);
  await running(bench);
  assert.ok(!bench.reasons().includes('Failed'));
});

test('a lasting 403 for a ConfigMap of a Pod is reported with an event and retried', async () => {
  await using bench = await refusedTimes(7);
  await running(bench);
  assert.ok(bench.reasons().includes('Failed'));
});
