import assert from 'node:assert/strict';
import { test } from 'node:test';
import { m1 } from '@minifleet/world/mac';
import { convergeStep, testHost } from '../../testing/index.ts';
import { killedAtEveryCommand } from '../../testing/killed-at-every-command.ts';
import { authorizedKeyStep } from './authorized-key.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGtMXa fleet desk';
const FILE = '/Users/m1/.ssh/authorized_keys';
const step = authorizedKeyStep({ user: 'm1', publicKey: KEY });

test('the key of the fleet is added to the account, and other keys stay', async () => {
  const { host, mac, journal } = testHost();
  mac.files.write(m1, FILE, 'ssh-rsa AAAAB3 operator', { mode: 0o600 });
  const { before, after } = await convergeStep(host, step);
  assert.deepEqual(before, { state: 'drift', differences: ['m1 does not accept the key fleet desk'] });
  assert.deepEqual(after, { state: 'current' });
  const lines = mac.files.read(m1, FILE).toString().split('\n');
  assert.ok(lines.includes('ssh-rsa AAAAB3 operator') && lines.includes(`${KEY} (minifleet)`), lines.join('|'));
  assert.deepEqual(journal.gaps, []);
});

test('a Mac without a folder for SSH gets one that sshd accepts', async () => {
  const { host, mac } = testHost();
  mac.files.remove(m1, '/Users/m1/.ssh', { recursive: true });
  assert.deepEqual((await convergeStep(host, step)).after, { state: 'current' });
  assert.equal(mac.files.stat(m1, '/Users/m1/.ssh').mode & 0o777, 0o700);
  assert.equal(mac.files.stat(m1, FILE).mode & 0o777, 0o600);
});

test('a key that the vendor installed, or that has another comment, is not added again', async () => {
  const { host, mac } = testHost();
  mac.files.write(m1, '/Users/m1/.ssh/scw_authorized_keys', `${KEY.replace('fleet desk', 'x')}\n`, { mode: 0o600 });
  assert.deepEqual((await convergeStep(host, step)).before, { state: 'current' });
});

test('a key that is commented out does not count', async () => {
  const { host, mac } = testHost();
  mac.files.write(m1, FILE, `# ${KEY}\n`, { mode: 0o600 });
  assert.equal((await convergeStep(host, step)).before.state, 'drift');
});

test('a text that is not a public key is rejected, and nothing is changed', async () => {
  for (const publicKey of ['', 'ssh-ed25519', '-----BEGIN OPENSSH PRIVATE KEY-----', `${KEY}\nssh-rsa AAAA other`]) {
    const { host } = testHost();
    await assert.rejects(convergeStep(host, authorizedKeyStep({ user: 'm1', publicKey })), {
      code: 'HOST_PUBLIC_KEY_INVALID',
    });
  }
});

test('a killed run leaves the old or the new file', async () => {
  await killedAtEveryCommand(() => ({ given: testHost(), steps: [step] }));
});
