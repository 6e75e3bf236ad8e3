import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { macMachine, names } from '@minifleet/api';
import { certificateSigningRequests, type KubeSecret, keyOf, secrets } from '@minifleet/kube';
import { textIn } from '../credentials/edit-secret.ts';
import { MACHINE_CLAIM_LOST } from './errors.ts';
import { cluster, joinBench, machines } from './testing/join-bench.ts';
import { BOOTSTRAPPED, PROVIDER_ID } from './testing/machine.ts';
import { clientSpec, servingSpec } from './testing/requests.ts';

const idOf = (secret: KubeSecret | undefined): string => (secret && textIn(secret, 'token-id')) ?? '';
const approved = 'Approved: the names match the machine and its host';

describe('the approver of client certificates', () => {
  test('the client approver approves the token of a machine for its Node', async context => {
    const bench = await joinBench(context);
    const join = await bench.provider();
    await join.material(await bench.machine('a'), cluster);
    const [token] = await bench.tokens();
    assert.equal(await bench.ask('r', clientSpec('a', idOf(token))), approved);
  });

  test('the client approver approves the token of a MacMachine for its Node', async context => {
    const bench = await joinBench(context);
    const join = await bench.provider();
    await join.material(await bench.macMachine('mini-01'), cluster);
    const [token] = await bench.tokens();
    assert.equal(await bench.ask('r', clientSpec('mini-01', idOf(token))), approved);
  });

  test('the client approver denies a token for the Node of another machine, with an event', async context => {
    const bench = await joinBench(context);
    const join = await bench.provider();
    await join.material(await bench.machine('a'), cluster);
    await bench.machine('b', { providerID: `${PROVIDER_ID.slice(0, -1)}2` });
    const [token] = await bench.tokens();
    const why = 'its subject is system:node:b instead of that of Node a';
    assert.equal(await bench.ask('r', clientSpec('b', idOf(token))), `Denied: ${why}`);
    const [event] = await bench.events();
    assert.deepEqual(
      [event?.regarding?.name, event?.reason, event?.note],
      ['a', 'RequestDenied', `the request r for a client certificate was denied: ${why}`],
    );
  });

  test('the client approver denies a token for a Node without a machine', async context => {
    const bench = await joinBench(context);
    const join = await bench.provider();
    await join.material(await bench.machine('a'), cluster);
    const [token] = await bench.tokens();
    assert.match(
      await bench.ask('r', clientSpec('linux-1', idOf(token))),
      /^Denied: its subject is system:node:linux-1/,
    );
  });

  test('the client approver denies a deleted token, so that the agent tries its next one', async context => {
    const bench = await joinBench(context);
    await bench.provider();
    await bench.machine('a');
    assert.match(await bench.ask('r', clientSpec('a', 'zzzzzz')), /^Denied: its bootstrap token no longer exists/);
  });

  test('the client approver denies the token of a deleted machine', async context => {
    const bench = await joinBench(context);
    const join = await bench.provider();
    await join.material(await bench.machine('a'), cluster);
    const [token] = await bench.tokens();
    await bench.api.client.delete(machines, { namespace: 'fleet', name: 'a' });
    assert.equal(await bench.ask('r', clientSpec('a', idOf(token))), 'Denied: the machine a does not exist');
  });

  test('the client approver denies a machine that lost its host', async context => {
    const bench = await joinBench(context);
    const fence = async (): Promise<void> => {
      throw MACHINE_CLAIM_LOST({ machine: 'fleet/a', why: 'no machine holds the MacHost x' });
    };
    const join = await bench.provider({ fence });
    await join.material(await bench.machine('a'), cluster);
    const [token] = await bench.tokens();
    assert.match(await bench.ask('r', clientSpec('a', idOf(token))), /^Denied: fleet\/a: host claim lost/);
  });

  test('the client approver ignores other tokens, users and machines of other providers', async context => {
    const bench = await joinBench(context);
    const join = await bench.provider({ machines: { labelSelector: 'mine' } });
    await join.material(await bench.machine('a'), cluster);
    const [token] = await bench.tokens();
    assert.equal(await bench.ask('one', clientSpec('a', idOf(token))), 'pending');
    assert.equal(await bench.ask('two', clientSpec('linux-1', 'zzzzzz')), 'pending');
    assert.equal(await bench.ask('three', { ...clientSpec('a', ''), username: 'admin' }), 'pending');
  });

  test('the client approver renews certificates of Minifleet Nodes only', async context => {
    const bench = await joinBench(context);
    await bench.provider();
    await bench.machine('a');
    await bench.node('a');
    const renewal = (node: string) => ({ ...clientSpec(node, ''), username: `system:node:${node}` });
    assert.equal(await bench.ask('one', renewal('a')), approved);
    assert.equal(await bench.ask('two', renewal('linux-1')), 'pending');
  });

  test('the client approver ignores requests that already have a decision', async context => {
    const bench = await joinBench(context);
    await bench.machine('a');
    await bench.ask('r', clientSpec('a', 'zzzzzz'));
    const request = await bench.api.client.get(certificateSigningRequests, { name: 'r' });
    const conditions = [{ type: 'Approved', status: 'True', reason: 'AutoApproved', message: 'by the cluster' }];
    await bench.api.client.update(
      certificateSigningRequests,
      { ...request, status: { conditions } },
      { subresource: 'approval' },
    );
    await bench.provider();
    await bench.clock.settle();
    assert.equal(await bench.answer('r'), 'Approved: by the cluster');
  });

  test('the client approver answers once even if the response to its write is lost', async context => {
    const bench = await joinBench(context);
    const join = await bench.provider();
    await join.material(await bench.machine('a'), cluster);
    const [token] = await bench.tokens();
    bench.api.faults.dropNext({ match: { method: 'PUT', path: /approval/ }, when: 'after' });
    await bench.ask('r', clientSpec('a', idOf(token)));
    const { status } = await bench.api.client.get(certificateSigningRequests, { name: 'r' });
    assert.equal(status?.conditions?.length, 1);
  });
});

describe('the approver of serving certificates', () => {
  test('the serving approver approves the name of a Node and the addresses of its host', async context => {
    const bench = await joinBench(context);
    await bench.provider();
    const machine = await bench.machine('a');
    const addresses = [{ type: 'ExternalIP', address: '10.32.0.9' }];
    const status = { conditions: [BOOTSTRAPPED], addresses };
    await bench.api.client.patch(
      machines,
      { namespace: 'fleet', name: machine.metadata.name },
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
    await bench.node('a');
    assert.equal(await bench.ask('one', servingSpec('a', ['10.32.0.9', 'a'])), approved);
    assert.match(
      await bench.ask('two', servingSpec('a', ['10.99.0.1'])),
      /^Denied: it requests the address 10\.99\.0\.1, but the known addresses are 10\.32\.0\.9/,
    );
    const reasons = (await bench.events()).map(({ reason }) => reason);
    assert.deepEqual(reasons, ['RequestApproved', 'RequestDenied']);
  });

  test('the serving approver approves the name of a MacMachine, and watches its addresses', async context => {
    const bench = await joinBench(context);
    await bench.provider();
    const machine = await bench.macMachine('mini-01');
    await bench.node('mini-01', machine.spec.providerID);
    assert.equal(await bench.ask('r', servingSpec('mini-01', ['192.0.2.11', 'mini-01'])), 'pending');
    const status = { addresses: [{ type: 'ExternalIP', address: '192.0.2.11' }] };
    const body = { type: 'merge', body: { status } } as const;
    await bench.api.client.patch(macMachine.resource, keyOf(machine), body, { subresource: 'status' });
    await bench.clock.settle();
    assert.equal(await bench.answer('r'), approved);
  });

  test('the serving approver waits for the Node and the host addresses, and watches both', async context => {
    const bench = await joinBench(context);
    await bench.provider();
    await bench.machine('a');
    assert.equal(await bench.ask('r', servingSpec('a', ['10.32.0.9'])), 'pending');
    await bench.node('a');
    await bench.clock.settle();
    assert.equal(await bench.answer('r'), 'pending');
    const status = { addresses: [{ type: 'InternalIP', address: '10.32.0.9' }] };
    await bench.api.client.patch(
      machines,
      { namespace: 'fleet', name: 'a' },
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
    await bench.clock.settle();
    assert.equal(await bench.answer('r'), approved);
  });

  test('the serving approver picks the machine with the providerID of the Node', async context => {
    const bench = await joinBench(context);
    await bench.provider();
    await bench.api.client.create(machines, { metadata: { namespace: 'other', name: 'a' }, spec: {} as never });
    await bench.machine('a');
    await bench.node('a');
    assert.equal(await bench.ask('r', servingSpec('a', ['a'])), approved);
  });

  test('the serving approver ignores Nodes without a machine and users', async context => {
    const bench = await joinBench(context);
    await bench.provider();
    await bench.machine('a');
    assert.equal(await bench.ask('one', servingSpec('linux-1', ['linux-1'])), 'pending');
    assert.equal(await bench.ask('two', { ...servingSpec('a', ['a']), username: 'admin' }), 'pending');
  });
});

test('an approved token stays until the Node exists, because the agent fetches its certificate with it', async context => {
  const bench = await joinBench(context);
  const join = await bench.provider();
  const machine = await bench.machine('a');
  await join.material(machine, cluster);
  const [token] = await bench.tokens();
  await bench.ask('r', clientSpec('a', idOf(token)));
  assert.equal((await bench.tokens()).length, 1);
  assert.equal(token?.metadata.labels?.[names.labels.machineUID], machine.metadata.uid);
  assert.ok(await bench.api.client.find(secrets, { namespace: 'kube-system', name: token?.metadata.name ?? '' }));
});
