import assert from 'node:assert/strict';
import { test } from 'node:test';
import { externalControlPlane, names, scalewayAppleSiliconCluster } from '@minifleet/api';
import { minutes, seconds } from '@minifleet/clock';
import { events, type KubeSecret, namespaces, secrets } from '@minifleet/kube';
import { clusters } from '../cluster-api/kinds.ts';
import { coreBench, key } from '../cluster-api/testing/core-bench.ts';
import { CHECK_INTERVAL, controlPlaneController } from './control-plane-controller.ts';
import { tokenIn } from './mint-kubeconfig.ts';
import type { KubeconfigProbe } from './probe-kubeconfig.ts';
import { ACCOUNT, type TokenAccount, tokenAccount } from './testing/token-account.ts';

const { resource } = externalControlPlane;
const life = minutes(60);
const secretKey = key('mac-kubeconfig');
const anchorKey = { namespace: ACCOUNT.namespace, name: 'kubeconfig.fleet.mac' };

/** The controller over an API in memory. What is in the Secret is tried against the account that minted it. */
async function bench(t: { after(end: () => Promise<void>): void }, cluster: object = {}, inPod = false) {
  let account: TokenAccount | undefined;
  /** In the place of what the API server would say. */
  const server: { answer?: KubeconfigProbe } = {};
  const probe = async (text: string): Promise<KubeconfigProbe> => {
    if (server.answer) return server.answer;
    const known = await account?.accepts(tokenIn(text) ?? '');
    return known
      ? { kind: 'answered', version: 'v1.36.4' }
      : { kind: 'rejected', known: false, why: 'GET /: Unauthorized' };
  };
  const own = { url: 'https://10.96.0.1', ca: 'the authority' };
  const settings = {
    namespace: undefined,
    watchFilter: undefined,
    clusterKubeconfig: { serviceAccount: ACCOUNT, life },
  };
  const made = await coreBench(t, {
    cluster,
    client: (api, clock) => {
      account = tokenAccount(api.client, clock);
      return account.client;
    },
    add: runtime =>
      runtime.add(
        controlPlaneController({ settings, ownServer: async () => own, server: inPod ? undefined : own.url, probe }),
      ),
  });
  const { client } = made.api;
  await client.create(namespaces, { metadata: { name: ACCOUNT.namespace } });
  assert.ok(account);
  const { minted, refuse, accepts } = account;
  return {
    ...{ ...made, server, minted, refuse },
    get: () => client.get(resource, key('mac')),
    find: () => client.find(resource, key('mac')),
    secret: () => client.find(secrets, secretKey),
    changeSecret: async (body: object) => void (await client.patch(secrets, secretKey, { type: 'merge', body })),
    accepted: async (secret: KubeSecret | undefined) => accepts(tokenIn(textOf(secret)) ?? ''),
    says: async (type: string) => {
      const { status, reason } = (await made.condition(resource, type)) ?? {};
      return `${status} ${reason}`;
    },
  };
}

const textOf = (secret: KubeSecret | undefined): string =>
  Buffer.from(secret?.data?.['value'] ?? '', 'base64').toString();

test('I15 Cluster API finds a valid kubeconfig when the Cluster owns the control plane', async t => {
  const { accepted, adopted, get, says, secret } = await bench(t);
  await adopted(resource, {});
  const made = await secret();
  assert.equal(made?.type, 'cluster.x-k8s.io/secret');
  assert.equal(made?.metadata.labels?.[names.clusterApi.clusterNameLabel], 'mac');
  const { metadata, status } = await get();
  assert.deepEqual(
    made?.metadata.ownerReferences?.map(({ kind, uid }) => [kind, uid]),
    [[resource.kind, metadata.uid]],
  );
  assert.match(textOf(made), /"server": "https:\/\/10\.96\.0\.1"/);
  assert.ok(await accepted(made));
  assert.equal(await says('KubeconfigReady'), 'True KubeconfigReady');
  assert.equal(await says('Available'), 'True Available');
  assert.equal(await says('Ready'), 'True Ready');
  assert.deepEqual(
    [status?.initialization?.controlPlaneInitialized, status?.externalManagedControlPlane, status?.version],
    [true, true, 'v1.36.4'],
  );
  assert.ok(status?.kubeconfigExpirationTime);
  assert.equal(status?.observedGeneration, metadata.generation);
});

test('no kubeconfig is minted before a Cluster owns the ExternalControlPlane', async t => {
  const { api, minted, says, settle } = await bench(t);
  await api.client.create(resource, { metadata: key('mac'), spec: { kubeconfigSource: 'Minted' } });
  await settle();
  assert.equal(await says('Available'), 'False WaitingForCluster');
  assert.equal(minted(), 0);
});

test('the kubeconfig token is renewed at half of its lifetime, and not before', async t => {
  const { accepted, adopted, clock, minted, secret } = await bench(t);
  await adopted(resource, {});
  await clock.advance(minutes(29));
  assert.equal(minted(), 1);
  await clock.advance(minutes(2));
  assert.equal(minted(), 2);
  await clock.advance(minutes(600));
  assert.equal(minted(), 22);
  assert.ok(await accepted(await secret()));
});

test('a restarted provider keeps the existing kubeconfig token', async t => {
  const { adopted, minted, restart } = await bench(t);
  await adopted(resource, {});
  await restart();
  assert.equal(minted(), 1);
});

type Bench = Awaited<ReturnType<typeof bench>>;

const encoded = (text: string): string => Buffer.from(text).toString('base64');

const damages: readonly [string, (at: Bench) => Promise<void>][] = [
  ['the Secret is deleted', ({ api }) => api.client.delete(secrets, secretKey)],
  ['its content is overwritten', ({ changeSecret }) => changeSecret({ data: { value: encoded('nonsense') } })],
  [
    'its token is replaced by an unknown one',
    async ({ changeSecret, secret }) => {
      const forged = textOf(await secret()).replace('signature-0', 'signature-x');
      await changeSecret({ data: { value: encoded(forged) } });
    },
  ],
  ['its label is removed', ({ changeSecret }) => changeSecret({ metadata: { labels: null } })],
  ['its owner is removed', ({ changeSecret }) => changeSecret({ metadata: { ownerReferences: null } })],
  ['what its token is bound to is deleted', ({ api }) => api.client.delete(secrets, anchorKey)],
  [
    'it is recreated with another type',
    async ({ api }) => {
      await api.client.delete(secrets, secretKey);
      await api.client.create(secrets, { metadata: secretKey, type: 'Opaque', data: {} });
    },
  ],
];

for (const [what, damage] of damages) {
  test(`I15 the kubeconfig is repaired within ${CHECK_INTERVAL / seconds(1)} s when ${what}`, async t => {
    const at = await bench(t);
    await at.adopted(resource, {});
    await damage(at);
    await at.clock.advance(seconds(31));
    const healed = await at.secret();
    assert.ok(await at.accepted(healed));
    assert.equal(healed?.type, 'cluster.x-k8s.io/secret');
    assert.equal(healed?.metadata.labels?.[names.clusterApi.clusterNameLabel], 'mac');
    assert.equal(healed?.metadata.ownerReferences?.length, 1);
    assert.equal(await at.says('Ready'), 'True Ready');
    const before = at.minted();
    await at.clock.advance(minutes(5));
    assert.equal(at.minted(), before, 'and it stays');
  });
}

test('without permission to mint the control plane reports it, retries and stays available', async t => {
  const { adopted, clock, condition, get, refuse, says } = await bench(t);
  refuse(403);
  await adopted(resource, {});
  assert.equal(await says('KubeconfigReady'), 'False MintingFailed');
  assert.match((await condition(resource, 'KubeconfigReady'))?.message ?? '', /capi-remote: .*apply config\/rbac/);
  assert.equal(await says('Available'), 'True Available');
  assert.equal((await get()).status?.initialization?.controlPlaneInitialized, true);
  refuse();
  await clock.advance(seconds(31));
  assert.equal(await says('Ready'), 'True Ready');
});

test('a known token that lacks permissions is not minted again', async t => {
  const { adopted, clock, condition, minted, says, server } = await bench(t);
  server.answer = { kind: 'rejected', known: true, why: 'GET /: forbidden' };
  await adopted(resource, {});
  await clock.advance(minutes(5));
  assert.equal(minted(), 1);
  assert.equal(await says('KubeconfigReady'), 'False KubeconfigRejected');
  assert.match(
    (await condition(resource, 'Ready'))?.message ?? '',
    /needs the permissions in config\/rbac\/capi-remote/,
  );
});

test('an unreachable API server is reported, and controlPlaneInitialized stays true', async t => {
  const { adopted, clock, get, minted, says, server } = await bench(t);
  await adopted(resource, {});
  server.answer = { kind: 'unreachable', why: 'no answer within 5s' };
  await clock.advance(seconds(31));
  assert.equal(await says('Available'), 'False NotReachable');
  assert.equal(await says('KubeconfigReady'), 'Unknown NotChecked');
  assert.equal(await says('Ready'), 'False NotReady');
  assert.equal((await get()).status?.initialization?.controlPlaneInitialized, true);
  assert.equal(minted(), 1);
});

test('a provided kubeconfig is only probed: missing, rejected, unusable and valid', async t => {
  const { adopted, api, clock, minted, says, server, writes } = await bench(t);
  await adopted(resource, { spec: { kubeconfigSource: 'Provided' } });
  assert.equal(await says('KubeconfigReady'), 'False KubeconfigMissing');
  assert.equal(await says('Available'), 'Unknown NotReachable');
  await api.client.create(secrets, { metadata: secretKey, data: { value: encoded('theirs') } });
  await clock.advance(seconds(31));
  assert.equal(await says('KubeconfigReady'), 'False KubeconfigRejected');
  server.answer = { kind: 'unusable', why: 'it uses exec' };
  await clock.advance(seconds(31));
  assert.equal(await says('Available'), 'Unknown NotReachable');
  server.answer = { kind: 'answered', version: undefined };
  await clock.advance(seconds(31));
  assert.equal(await says('Ready'), 'True Ready');
  const before = writes();
  await clock.advance(minutes(10));
  assert.deepEqual([minted(), writes()], [0, before]);
});

test('the control plane endpoint defaults to the API server of the provider', async t => {
  const { adopted, get } = await bench(t);
  await adopted(resource, {});
  assert.deepEqual((await get()).spec.controlPlaneEndpoint, { host: '10.96.0.1', port: 443 });
});

test('in a Pod the endpoint has no default, but Cluster API gets its kubeconfig', async t => {
  const { adopted, get, says } = await bench(t, {}, true);
  await adopted(resource, {});
  assert.equal((await get()).spec.controlPlaneEndpoint, undefined);
  assert.equal(await says('Ready'), 'True Ready');
});

test('an endpoint on the Cluster or its infrastructure has priority over that of the provider', async t => {
  const named = { host: 'api.example.com', port: 6443 };
  const onCluster = await bench(t, { controlPlaneEndpoint: named });
  await onCluster.adopted(resource, {});
  assert.deepEqual((await onCluster.get()).spec.controlPlaneEndpoint, named);
  const onInfra = await bench(t);
  await onInfra.adopted(scalewayAppleSiliconCluster.resource, { spec: { controlPlaneEndpoint: named } });
  await onInfra.adopted(resource, {});
  assert.deepEqual((await onInfra.get()).spec.controlPlaneEndpoint, named);
});

test('a healthy control plane causes no writes', async t => {
  const { adopted, clock, writes } = await bench(t);
  await adopted(resource, {});
  const before = writes();
  await clock.advance(minutes(20));
  assert.equal(writes(), before);
});

test('a paused control plane changes nothing, including the deletion', async t => {
  const { adopted, api, clock, find, minted, patch, says, settle } = await bench(t, { paused: true });
  await adopted(resource, {});
  await clock.advance(minutes(60));
  assert.equal(await says('Paused'), 'True Paused');
  assert.equal(minted(), 0);
  await api.client.delete(resource, key('mac'));
  await settle();
  assert.ok(await find());
  await patch(clusters, { spec: { paused: false } });
  assert.equal(await find(), undefined);
});

test('a deleted control plane first revokes its token', async t => {
  const { accepted, adopted, api, clock, find, says, secret, settle } = await bench(t);
  await adopted(resource, {});
  const held = await secret();
  const path = /secrets\/kubeconfig\.fleet\.mac$/;
  api.faults.failNext({ match: { method: 'DELETE', path }, status: 403, reason: 'Forbidden', message: 'no rights' });
  await api.client.delete(resource, key('mac'));
  await settle();
  assert.equal(await says('Deleting'), 'True RevokingKubeconfig');
  assert.ok(await accepted(held));
  await clock.advance(seconds(1));
  assert.equal(await find(), undefined);
  assert.equal(await accepted(held), false);
});

test('only the Secret contains the kubeconfig token, no event, condition or other request', async t => {
  const { adopted, api, get, secret } = await bench(t);
  await adopted(resource, {});
  const token = tokenIn(textOf(await secret())) ?? '';
  const elsewhere = api.requests.filter(({ path }) => !path.includes('/secrets/'));
  const reported = JSON.stringify([await get(), (await api.client.list(events)).items, elsewhere]);
  assert.ok(token.length > 20);
  assert.equal(reported.includes(token), false);
  assert.equal(reported.includes(encoded(token).slice(0, 40)), false);
});
