import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { needsOperator } from '@minifleet/errors';
import { githubResolver } from '@minifleet/forges';
import { findCondition } from '@minifleet/kube';
import { createRedactor } from '@minifleet/secret';
import { hostNamed } from '../cluster-api/testing/host-named.ts';
import { noteFailure } from '../hosts/claim-conditions.ts';
import { createBuilderForge } from './builder-forge.ts';
import { buildersBench, failure, NAMESPACE, refused, SPEC } from './testing/builders-bench.ts';

const { ghAppSecretName: _, ...unnamed } = SPEC;

/** HostBootstrapped of a MacHost whose controller got this error. */
function bootstrapCondition(error: unknown) {
  const host = hostNamed('1', { machine: 'mini-01' });
  noteFailure(host, 'Bootstrapping', { error, clock: fakeClock() });
  return findCondition(host, 'HostBootstrapped');
}

describe('GitHub App Secret of a builder', () => {
  test('the GitHub App Secret is read in the namespace of the machine for each call', async () => {
    const { runners, resolver, api } = await buildersBench({ runners: [{ name: 'mini-01' }] });
    await runners.token(NAMESPACE, SPEC);
    await runners.state(NAMESPACE, SPEC, 'mini-01');
    const [reference] = resolver.asked;
    assert.deepEqual([reference?.account, reference?.place], ['acme', 'Secret builders/github-app']);
    assert.equal(Buffer.from(reference?.fields['app-id'] ?? []).toString(), '42');
    assert.equal(api.requests.filter(({ path }) => path.endsWith('/secrets/github-app')).length, 2);
  });

  test('a builder without ghAppSecretName fails with the field to set, and is retried every 5 minutes', async () => {
    const { runners, forge } = await buildersBench();
    for (const spec of [unnamed, { ...unnamed, ghAppSecretName: '' }]) {
      await assert.rejects(runners.token(NAMESPACE, spec), {
        reason: 'RunnerTokenUnavailable',
        retry: { after: minutes(5) },
        message:
          'runner registration in acme failed: ghActionsRunner.ghAppSecretName is not set; set it to the Secret with the GitHub App of acme; retried every 5 minutes',
      });
    }
    assert.deepEqual(forge.calls, []);
  });

  test('a builder whose Secret is missing fails with the fields to create, and is retried every 5 minutes', async () => {
    const { runners, forge } = await buildersBench();
    await assert.rejects(runners.token(NAMESPACE, { ...SPEC, ghAppSecretName: 'other' }), {
      reason: 'RunnerTokenUnavailable',
      retry: { after: minutes(5) },
      message: /Secret builders\/other not found; create it with app-id/,
    });
    assert.deepEqual(forge.calls, []);
  });

  test('an invalid GitHub App Secret is reported with its name and the invalid field', async () => {
    const { api, clock } = await buildersBench();
    const observer = { onCall: () => undefined, redactor: createRedactor() };
    const runners = createBuilderForge({ client: api.client, clock, resolver: githubResolver({ clock, observer }) });
    await assert.rejects(runners.token(NAMESPACE, SPEC), {
      reason: 'RunnerTokenUnavailable',
      message: /Secret builders\/github-app is invalid: private-key is not an RSA key/,
    });
  });

  test('a GitHub App Secret that the provider cannot read is retried', async () => {
    const { runners, api } = await buildersBench();
    api.faults.failNext({ match: { path: /secrets/ }, status: 403, reason: 'Forbidden', times: 10 });
    await assert.rejects(runners.token(NAMESPACE, SPEC), {
      code: 'BUILDER_SECRET_UNAVAILABLE',
      reason: 'RunnerTokenUnavailable',
      retry: 'backoff',
    });
  });
});

describe('registration token of a builder', () => {
  test('each registration token is new and registers the runner', async () => {
    const { runners, forge } = await buildersBench();
    const [one, other] = [await runners.token(NAMESPACE, SPEC), await runners.token(NAMESPACE, SPEC)];
    assert.notEqual(one.reveal().toString(), other.reveal().toString());
    forge.register(other, { name: 'mini-01', labels: ['macos'] });
    assert.equal(await runners.state(NAMESPACE, SPEC, 'mini-01'), 'online');
  });

  test('a failed registration token request gives RunnerTokenUnavailable in the condition', async () => {
    const { runners, forge } = await buildersBench();
    forge.failNext({ call: 'registrationToken', when: 'before' });
    const passing = await failure(runners.token(NAMESPACE, SPEC));
    assert.equal(bootstrapCondition(passing)?.reason, 'RunnerTokenUnavailable');
    forge.failNext({ call: 'registrationToken', when: 'before', error: refused });
    const lasting = await failure(runners.token(NAMESPACE, SPEC));
    const condition = bootstrapCondition(lasting);
    assert.equal(condition?.reason, 'RunnerTokenUnavailable');
    assert.match(
      condition?.message ?? '',
      /acme failed: .*no rights.*Self-hosted runners: read and write.*retried every 5 minutes$/,
    );
    assert.ok(!needsOperator(lasting), 'nothing wakes the machine when the App is repaired');
  });
});

describe('runner removal of a builder', () => {
  test('runner removal succeeds for a registered and for an unknown runner', async () => {
    const { runners, forge } = await buildersBench({ runners: [{ name: 'mini-01' }, { name: 'mini-02' }] });
    assert.equal(await runners.remove(NAMESPACE, SPEC, 'mini-01'), true);
    assert.equal(await runners.remove(NAMESPACE, SPEC, 'mini-01'), true);
    assert.deepEqual(
      forge.all().map(({ name }) => name),
      ['mini-02'],
    );
  });

  test('runner removal waits for a job, even one that has just started', async () => {
    const { runners, forge } = await buildersBench({
      runners: [{ name: 'mini-01' }],
      onCall: ({ call }) => (call === 'remove' ? forge.takeJob('mini-01') : undefined),
    });
    assert.equal(await runners.remove(NAMESPACE, SPEC, 'mini-01'), false);
    forge.finishJob('mini-01');
    assert.equal(forge.find('mini-01').name, 'mini-01');
  });

  test('a removed runner is absent in the next state lookup', async () => {
    const { runners } = await buildersBench({ runners: [{ name: 'mini-01' }] });
    assert.equal(await runners.state(NAMESPACE, SPEC, 'mini-01'), 'online');
    await runners.remove(NAMESPACE, SPEC, 'mini-01');
    assert.equal(await runners.state(NAMESPACE, SPEC, 'mini-01'), 'absent');
  });

  test('runner removal that needs an operator does not retry', async () => {
    const { runners, forge } = await buildersBench({ runners: [{ name: 'mini-01' }] });
    forge.failNext({ call: 'remove', when: 'before', error: refused });
    assert.equal(needsOperator(await failure(runners.remove(NAMESPACE, SPEC, 'mini-01'))), true);
    const gone = { ...SPEC, ghAppSecretName: 'gone' };
    assert.equal(needsOperator(await failure(runners.remove(NAMESPACE, gone, 'mini-01'))), true);
    forge.failNext({ call: 'remove', when: 'before' });
    assert.equal(needsOperator(await failure(runners.remove(NAMESPACE, SPEC, 'mini-01'))), false);
  });
});
