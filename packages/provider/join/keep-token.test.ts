import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { macMachine } from '@minifleet/api';
import { minutes, seconds } from '@minifleet/clock';
import { type KubeSecret, keyOf, parseKubeconfig, secrets } from '@minifleet/kube';
import { memoryId } from '@minifleet/vendors/testing';
import { textIn } from '../credentials/edit-secret.ts';
import { tokenIds, tokenKey } from './bootstrap-token.ts';
import type { JoinMaterial } from './join.ts';
import { CA, cluster, joinBench, LIFE, machines } from './testing/join-bench.ts';

const textsOf = (secret: KubeSecret | undefined): Record<string, string> =>
  Object.fromEntries(Object.keys(secret?.data ?? {}).map(key => [key, (secret && textIn(secret, key)) ?? '']));
const textOf = ({ kubeconfig }: JoinMaterial): string => kubeconfig.reveal().toString();

describe('bootstrap token', () => {
  test('A5 each machine gets its own bootstrap token with the address and CA of the API server', async context => {
    const bench = await joinBench(context);
    const join = await bench.provider();
    const machine = await bench.machine('a');
    const material = await join.material(machine, cluster);
    const [secret, ...others] = await bench.tokens();
    const texts = textsOf(secret);
    assert.deepEqual(others, []);
    assert.equal(secret?.type, 'bootstrap.kubernetes.io/token');
    assert.equal(secret?.metadata.name, `bootstrap-token-${texts['token-id']}`);
    assert.match(texts['token-id'] ?? '', /^[a-z0-9]{6}$/);
    assert.match(texts['token-secret'] ?? '', /^[a-z0-9]{16}$/);
    assert.deepEqual(
      { ...texts, 'token-id': 'i', 'token-secret': 's' },
      {
        'token-id': 'i',
        'token-secret': 's',
        'usage-bootstrap-authentication': 'true',
        'auth-extra-groups': 'system:bootstrappers:minifleet',
        expiration: '2030-01-01T00:30:00Z',
        description: 'Lets the host of machine fleet/a request the certificate of its Node.',
      },
    );
    assert.deepEqual(secret?.metadata.annotations, { 'minifleet.dev/machine': 'fleet/a' });
    const { server, token, authority } = parseKubeconfig(textOf(material), { path: '/given' });
    assert.equal(server.href, 'https://api.example:6443/');
    assert.deepEqual(token, { data: `${texts['token-id']}.${texts['token-secret']}` });
    assert.equal(authority && 'data' in authority && authority.data.toString(), CA);
    assert.equal(String(material.kubeconfig), '[the bootstrap kubeconfig of a]');
  });

  test('the bootstrap token stays the same and is extended while the machine waits', async context => {
    const bench = await joinBench(context);
    const join = await bench.provider();
    const machine = await bench.machine('a');
    const first = await join.material(machine, cluster);
    const { resourceVersion } = bench.api;
    await bench.clock.advance(minutes(10));
    assert.equal(textOf(await join.material(machine, cluster)), textOf(first));
    assert.equal(bench.api.resourceVersion, resourceVersion);
    for (let hours = 0; hours < 8; hours++) {
      await bench.clock.advance(minutes(16));
      const later = await join.material(machine, cluster);
      assert.equal(textOf(later), textOf(first));
      assert.equal(later.expiresAt, bench.clock.now() + LIFE);
    }
  });

  test('an expired bootstrap token is replaced', async context => {
    const bench = await joinBench(context);
    const machine = await bench.machine('a');
    const join = await bench.provider();
    const first = await join.material(machine, cluster);
    await bench.clock.advance(LIFE);
    assert.deepEqual(await bench.tokens(), []);
    assert.notEqual(textOf(await join.material(machine, cluster)), textOf(first));
    assert.equal((await bench.tokens()).length, 1);
  });

  test('the next host of a machine gets another bootstrap token', async context => {
    const bench = await joinBench(context);
    const machine = await bench.machine('a');
    const join = await bench.provider();
    const first = await join.material(machine, cluster);
    const next = { ...machine, spec: { ...machine.spec, claimRef: { name: memoryId(2), epoch: 1 } } };
    const second = await join.material(next, cluster);
    assert.notEqual(textOf(second), textOf(first));
    assert.equal(textOf(await join.material(next, cluster)), textOf(second));
    assert.equal((await bench.tokens()).length, 1);
  });

  test('two providers that create a bootstrap token together create one', async context => {
    const bench = await joinBench(context);
    const machine = await bench.machine('a');
    const [one, other] = [await bench.provider(), await bench.provider()];
    const [a, b] = await Promise.all([one.material(machine, cluster), other.material(machine, cluster)]);
    assert.equal(textOf(a), textOf(b));
    assert.equal((await bench.tokens()).length, 1);
  });

  test('a bootstrap token is found again after a crash of the provider that created it', async context => {
    const bench = await joinBench(context);
    const machine = await bench.machine('a');
    const join = await bench.provider();
    bench.api.faults.dropNext({ match: { method: 'POST', path: /secrets/ }, when: 'after' });
    await assert.rejects(join.material(machine, cluster), { reason: 'BootstrapTokenUnavailable' });
    await (await bench.provider()).material(machine, cluster);
    assert.equal((await bench.tokens()).length, 1);
  });

  test('a bootstrap token gets another id if the id is taken', async context => {
    const bench = await joinBench(context);
    const machine = await bench.machine('a');
    const [first = '', second] = tokenIds(machine);
    await bench.api.client.create(secrets, { metadata: tokenKey(first), type: 'bootstrap.kubernetes.io/token' });
    await (await bench.provider()).material(machine, cluster);
    const [secret] = await bench.tokens();
    assert.equal(textsOf(secret)['token-id'], second);
  });

  test('a bootstrap token is withdrawn once, without requests for a joined machine', async context => {
    const bench = await joinBench(context);
    const machine = await bench.machine('a');
    await (await bench.provider()).material(machine, cluster);
    const join = await bench.provider();
    await join.withdraw(machine);
    assert.deepEqual(await bench.tokens(), []);
    const sent = bench.api.requests.length;
    await join.withdraw(machine);
    assert.equal(bench.api.requests.length, sent);
    await join.material(machine, cluster);
    await join.withdraw(machine);
    assert.deepEqual(await bench.tokens(), []);
  });

  test('no bootstrap token is created without an API server address for hosts', async context => {
    const bench = await joinBench(context);
    const machine = await bench.machine('a');
    const join = await bench.provider();
    await assert.rejects(join.material(machine, { ...cluster, spec: {} }), {
      reason: 'EndpointUnknown',
      message: /fleet\/a: API server address unknown.*set spec.controlPlaneEndpoint of the Cluster fleet\/mac/,
    });
    assert.deepEqual(await bench.tokens(), []);
  });

  test('an API server that rejects the bootstrap token is reported as such', async context => {
    const bench = await joinBench(context);
    const machine = await bench.machine('a');
    const join = await bench.provider();
    bench.api.faults.failNext({ match: { method: 'POST', path: /kube-system\/secrets/ }, status: 403 });
    await assert.rejects(join.material(machine, cluster), { reason: 'BootstrapTokenUnavailable', message: /fleet\/a/ });
  });
});

describe('token sweeper', () => {
  test('the token sweeper deletes the token of a deleted machine', async context => {
    const bench = await joinBench(context);
    const machine = await bench.machine('a');
    await (await bench.provider()).material(machine, cluster);
    await bench.clock.advance(minutes(5));
    assert.equal((await bench.tokens()).length, 1);
    await bench.api.client.delete(machines, { namespace: 'fleet', name: 'a' });
    await bench.machine('a');
    await bench.clock.advance(minutes(5));
    assert.deepEqual(await bench.tokens(), []);
  });

  test('the token sweeper keeps the token of a MacMachine until the machine is deleted', async context => {
    const bench = await joinBench(context);
    const machine = await bench.macMachine('mini-01');
    await (await bench.provider()).material(machine, cluster);
    await bench.clock.advance(minutes(5));
    assert.equal((await bench.tokens()).length, 1);
    await bench.api.client.delete(macMachine.resource, keyOf(machine));
    await bench.clock.advance(minutes(5));
    assert.deepEqual(await bench.tokens(), []);
  });

  test('the token sweeper deletes an expired token', async context => {
    const bench = await joinBench(context);
    await (await bench.provider()).material(await bench.machine('a'), cluster);
    await bench.clock.advance(LIFE);
    assert.deepEqual(await bench.tokens(), []);
  });

  test('the token sweeper ignores namespaces of other providers', async context => {
    const bench = await joinBench(context);
    const machine = await bench.machine('a');
    const join = await bench.provider({ machines: { namespace: 'other' } });
    await join.material(machine, cluster);
    await bench.api.client.delete(machines, { namespace: 'fleet', name: 'a' });
    await bench.clock.advance(minutes(10));
    assert.equal((await bench.tokens()).length, 1);
  });

  test('the token sweeper ignores tokens that Minifleet did not create', async context => {
    const bench = await joinBench(context);
    const metadata = { ...tokenKey('abcdef'), labels: { 'minifleet.dev/machine-uid': 'x' } };
    await bench.api.client.create(secrets, { metadata, type: 'bootstrap.kubernetes.io/token' });
    await bench.provider();
    await bench.clock.advance(seconds(60 * 60));
    assert.equal((await bench.tokens()).length, 1);
  });
});
