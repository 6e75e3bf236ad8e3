import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { type Client, type Pod, pods } from '@minifleet/kube';
import { createMemoryApi, type MemoryApi } from '@minifleet/kube/testing';
import { probeAgentRoute, type RouteProbeDeps } from './probe-agent-route.ts';

const PROXY = /\/pods\/https:minifleet-route-00010203:10250\/proxy\/$/;
const REFUSED = 'error trying to reach service: dial tcp 192.0.2.11:10250: connect: connection refused';

let clock: FakeClock;
let api: MemoryApi;
let stop: AbortController;
beforeEach(() => {
  clock = fakeClock();
  api = createMemoryApi({ clock });
  stop = new AbortController();
});

const probe = (host: string, deps: Partial<RouteProbeDeps> = {}) =>
  probeAgentRoute(
    { host, namespace: 'default' },
    {
      ...{ client: api.client, clock, signal: stop.signal },
      random: length => Uint8Array.from({ length }, (_, index) => index),
      ...deps,
    },
  );
const leftOver = async (): Promise<readonly string[]> =>
  (await api.client.list(pods)).items.map(({ metadata }) => metadata.name);
const statesOf = (found: Awaited<ReturnType<typeof probe>>): string[] => found.map(({ state }) => state);

describe('check of the route to the node agent', () => {
  test('the route check creates a Pod that never runs, with the address of the Mac, and deletes it', async () => {
    let observed: Pod | undefined;
    const client: Client = {
      ...api.client,
      async send(request) {
        assert.match(request.path, PROXY);
        observed = await api.client.get(pods, { namespace: 'default', name: 'minifleet-route-00010203' });
        return api.client.send(request);
      },
    };
    api.faults.failNext({ match: { path: PROXY }, status: 503, message: REFUSED });
    const [found] = await probe('192.0.2.11', { client });
    assert.deepEqual(found, {
      check: 'port 10250',
      state: 'ok',
      message: 'the API server reaches 192.0.2.11:10250 (connection refused, as expected without the node agent)',
    });
    assert.equal(observed?.status?.podIP, '192.0.2.11');
    assert.equal(observed?.spec?.schedulingGates?.length, 1);
    assert.deepEqual(observed?.metadata.labels, { 'minifleet.dev/check': 'agent-route' });
    assert.deepEqual(await leftOver(), []);
  });

  test('the route check uses the IPv4 address of a DNS name, like the Node', async () => {
    api.faults.failNext({ match: { path: PROXY }, status: 503, message: REFUSED });
    const resolveName = async () => ['2001:DB8::11', '192.0.2.11'];
    assert.match(
      (await probe('mini-01.example.com', { resolveName }))[0]?.message ?? '',
      /reaches 192\.0\.2\.11:10250/,
    );
  });

  test('the route check creates nothing for a loopback address or a name that does not resolve', async () => {
    const resolveName = () => Promise.reject(new Error('ENOTFOUND'));
    for (const [host, why] of [
      ['127.0.0.1', /127\.0\.0\.1:10250: an API server does not connect to such an address/],
      ['mini-01.local', /mini-01\.local:10250: the name does not resolve on this computer/],
    ] as const) {
      const [found] = await probe(host, { resolveName });
      assert.equal(found?.state, 'unknown');
      assert.match(found?.message ?? '', why);
    }
    assert.deepEqual(api.requests, []);
  });

  test('an API server without an answer for 12 seconds has no route, and the Pod is deleted', async () => {
    api.faults.delayNext({ match: { path: PROXY }, by: seconds(30) });
    const running = probe('192.0.2.11');
    await clock.settle();
    await clock.advance(seconds(12));
    const [found] = await running;
    assert.equal(found?.state, 'problem');
    assert.match(found?.message ?? '', /cannot reach 192\.0\.2\.11:10250 \(no answer within 12s\)/);
    assert.deepEqual(await leftOver(), []);
  });

  test('an interrupted route check deletes its Pod', async () => {
    api.faults.delayNext({ match: { path: PROXY }, by: seconds(30) });
    const running = probe('192.0.2.11');
    const ended = assert.rejects(running, { name: 'AbortError' });
    await clock.settle();
    stop.abort();
    await ended;
    assert.deepEqual(await leftOver(), []);
  });

  test('the route check deletes a Pod whose creation had no answer', async () => {
    api.faults.dropNext({ match: { method: 'POST' }, when: 'after' });
    await assert.rejects(probe('192.0.2.11'), /connection lost/);
    assert.deepEqual(await leftOver(), []);
  });

  test('a missing permission makes the route unknown and names what was refused', async () => {
    const refuse = (method: 'POST' | 'PATCH' | 'GET', path: RegExp) =>
      api.faults.failNext({ match: { method, path }, status: 403, reason: 'Forbidden', message: 'forbidden for anna' });
    for (const [method, path, what] of [
      ['POST', /\/pods$/, /create Pods in namespace default \(forbidden for anna\)/],
      ['PATCH', /\/status$/, /patch pods\/status in namespace default \(forbidden for anna\)/],
      ['GET', PROXY, /not checked from the API server to 192\.0\.2\.11:10250: forbidden for anna/],
    ] as const) {
      refuse(method, path);
      const found = await probe('192.0.2.11');
      assert.deepEqual(statesOf(found), ['unknown']);
      assert.match(found[0]?.message ?? '', what);
      assert.deepEqual(await leftOver(), []);
    }
  });

  test('a Pod that cannot be deleted is reported with the command that deletes it', async () => {
    api.faults.failNext({ match: { path: PROXY }, status: 503, message: REFUSED });
    api.faults.failNext({ match: { method: 'DELETE' }, status: 403, reason: 'Forbidden' });
    const found = await probe('192.0.2.11');
    assert.deepEqual(statesOf(found), ['ok', 'unknown']);
    assert.match(found[1]?.message ?? '', /kubectl delete pod -n default minifleet-route-00010203/);
  });
});
