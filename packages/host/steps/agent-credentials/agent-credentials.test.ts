import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { Secret } from '@minifleet/secret';
import { planStep } from '../../engine/step.ts';
import { convergeStep, type TestHost, testHost } from '../../testing/index.ts';
import { killedAtEveryCommand } from '../../testing/killed-at-every-command.ts';
import { asRoot } from '../agent-job/testing/agent-host.ts';
import { type AgentCredentialsSettings, agentCredentials } from './agent-credentials.ts';

const PATH = '/etc/tart-kubelet/kubeconfig';
const BOOTSTRAP = '/etc/tart-kubelet/bootstrap-kubeconfig';
const TOKEN = 'canary-5f1e7c0a9b';
const config = `apiVersion: v1\nusers:\n- name: mini-01\n  user:\n    token: ${TOKEN}\n`;

const want = (more: Partial<AgentCredentialsSettings> = {}): AgentCredentialsSettings => ({
  path: PATH,
  content: new Secret('kubeconfig', config),
  owner: 'm1:staff',
  mode: 0o600,
  ...more,
});
const converge = (given: TestHost, more: Partial<AgentCredentialsSettings> = {}) =>
  convergeStep(given.host, planStep(agentCredentials, want(more)));
const bootstrap = { path: BOOTSTRAP, onlyIfMissing: true, unless: PATH };

test('a fresh Mac gets credentials that only the agent’s user can read', async () => {
  const given = testHost();
  const { before, after } = await converge(given);
  assert.deepEqual(before, { state: 'drift', differences: [`${PATH} is missing`] });
  assert.deepEqual(after, { state: 'current' });
  assert.equal(given.mac.files.read(given.root, PATH).toString(), config);
  assert.equal(await asRoot(given, `stat -f '%Su:%Sg %Lp' ${PATH}`), 'm1:staff 600\n');
  assert.deepEqual(given.journal.gaps, []);
});

test('agent-credentials: a converged host is unchanged, and its inspection takes one round trip', async () => {
  const given = testHost();
  await converge(given);
  const asked = given.transport.roundTrips;
  assert.deepEqual((await converge(given)).before, { state: 'current' });
  assert.equal(given.transport.roundTrips - asked, 1);
});

test('wrong content, owner and mode of the credentials are repaired', async () => {
  const damages: readonly (readonly [string, RegExp])[] = [
    [`echo token: old > ${PATH}`, /contains other credentials/],
    [`chown root:wheel ${PATH}`, /belongs to root:wheel, expected m1:staff/],
    [`chmod 644 ${PATH}`, /has mode 0644, expected 0600/],
    [`rm -rf /etc/tart-kubelet`, /is missing/],
  ];
  for (const [damage, words] of damages) {
    const given = testHost();
    await converge(given);
    await asRoot(given, damage);
    const { before, after } = await converge(given);
    assert.match(JSON.stringify(before), words);
    assert.deepEqual(after, { state: 'current' });
    assert.equal(given.mac.files.read(given.root, PATH).toString(), config);
  }
});

test('bootstrap credentials are written once and never overwrite a file', async () => {
  const given = testHost();
  assert.deepEqual((await converge(given, bootstrap)).after, { state: 'current' });
  await asRoot(given, `echo changed > ${BOOTSTRAP}; chmod 644 ${BOOTSTRAP}`);
  const { before } = await converge(given, bootstrap);
  assert.deepEqual(before, { state: 'drift', differences: [`${BOOTSTRAP} has mode 0644, expected 0600`] });
  assert.equal(given.mac.files.read(given.root, BOOTSTRAP).toString(), 'changed\n');
});

test('used bootstrap credentials are not written again', async () => {
  const given = testHost();
  await converge(given, bootstrap);
  await asRoot(given, `mv ${BOOTSTRAP} ${PATH}`);
  assert.deepEqual((await converge(given, bootstrap)).before, { state: 'current' });
  await asRoot(given, `rm ${PATH}`);
  assert.deepEqual((await converge(given, bootstrap)).before, {
    state: 'drift',
    differences: [`${BOOTSTRAP} is missing`],
  });
});

test('empty credentials are rejected before anything is written', async () => {
  const given = testHost();
  await converge(given);
  const content = new Secret('kubeconfig', '\n');
  await assert.rejects(converge(given, { content }), { code: 'HOST_CREDENTIALS_EMPTY' });
  assert.equal(given.mac.files.read(given.root, PATH).toString(), config);
});

test('a full disk and a locked file are errors that do not show the credentials', async () => {
  const faults = [
    ['ENOSPC', 'HOST_DISK_FULL'],
    ['EPERM', 'HOST_FILE_READ_ONLY'],
    ['EIO', /HOST_/],
  ] as const;
  for (const [message, code] of faults) {
    const given = testHost();
    given.faults.add({ kind: 'file write', detail: /tart-kubelet/, fault: { type: 'fail', code: 1, message } });
    const shown: unknown[] = [];
    await assert.rejects(converge(given), (error: Error & { code: string }) => {
      assert.match(error.code, new RegExp(code));
      shown.push(inspect(error, { depth: 9 }), error.stack);
      return true;
    });
    shown.push(...given.journal.entries.map(({ detail }) => detail));
    assert.doesNotMatch(shown.join('\n'), new RegExp(TOKEN));
    assert.equal(given.mac.files.exists(given.root, PATH), false);
  }
});

test('agent-credentials: a run killed at any command converges on the next run', async () => {
  const steps = [planStep(agentCredentials, want())];
  const make = async () => ({ given: testHost(), steps });
  assert.equal(await killedAtEveryCommand(make), 3);
});
