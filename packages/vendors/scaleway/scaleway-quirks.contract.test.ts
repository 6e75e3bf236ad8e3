import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { milliseconds, minutes, seconds } from '@minifleet/clock';
import { eventually, fakeClock } from '@minifleet/clock/testing';
import { FIRST_KEY } from '../testing/contract/public-keys.ts';
import { benchFor } from './testing/scaleway-bench.ts';

test('the password of a Scaleway server is known after Scaleway has sealed it', async t => {
  const { vendor, addServer, clock } = await benchFor(t);
  const ref = await addServer('one');
  const fresh = await vendor.server(ref);
  await clock.advance(minutes(24 * 60));
  const later = await vendor.server(ref);
  assert.match(fresh?.password?.reveal().toString() ?? '', /^.{6,}$/);
  assert.deepEqual(later?.password?.reveal(), fresh?.password?.reveal());
});

test('all Scaleway servers are listed if they do not fit on one page', async t => {
  const { vendor, zone, addServer } = await benchFor(t);
  for (let number = 0; number < 205; number++) await addServer(`pool-${number}`);
  assert.equal((await vendor.servers(zone)).length, 205);
});

test('an unknown Scaleway zone is an error and not an empty list', async t => {
  const { vendor } = await benchFor(t);
  await assert.rejects(vendor.servers('xx-yyy-1'), { code: 'VENDOR_REJECTED', message: /unknown zone/ });
  const ref = { zone: 'xx-yyy-1', id: '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11' };
  await assert.rejects(vendor.server(ref), { code: 'VENDOR_REJECTED' });
});

test('a Scaleway rate-limit response delays all calls', async t => {
  const { open, zone, faults, requests } = await benchFor(t);
  const fault = { type: 'fail', code: 429, message: 'too many', retryAfter: seconds(7) } as const;
  faults.add({ kind: 'request', fault, times: 1 });
  const clock = fakeClock();
  const vendor = open({ clock });
  const first = vendor.servers(zone);
  await eventually(() => clock.pending === 1);
  const second = vendor.images(zone, 'M2-L');
  await clock.advance(milliseconds(6_999));
  assert.deepEqual(requests(), []);
  await clock.advance(seconds(1));
  await first;
  await second;
  assert.equal(requests().length, 2);
});

test('the HTML page of a gateway is not part of the Scaleway error', async t => {
  const { vendor, zone, faults } = await benchFor(t);
  faults.add({ kind: 'request', fault: { type: 'fail', code: 502, message: 'Bad Gateway' } });
  const message = /^scaleway: servers failed \(HTTP status 502 without an API response\)/;
  await assert.rejects(vendor.servers(zone), { code: 'VENDOR_UNAVAILABLE', message });
});

test('a Scaleway request is retried after a truncated response', async t => {
  const { vendor, zone, addServer, faults } = await benchFor(t);
  await addServer('one');
  faults.add({ kind: 'request', fault: { type: 'drop', when: 'during' }, times: 1 });
  assert.equal((await vendor.servers(zone)).length, 1);
});

test('an aborted Scaleway request closes its connection', async t => {
  const { open } = await benchFor(t);
  const silent = createServer();
  t.after(() => silent.close());
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as AddressInfo;
  const giveUp = new AbortController();
  const asking = open({ apiUrl: `http://127.0.0.1:${port}/` }).servers('fr-par-1', { signal: giveUp.signal });
  const ending = assert.rejects(asking, { message: 'enough' });
  const [request] = (await once(silent, 'request')) as [IncomingMessage];
  const closed = once(request.socket, 'close');
  giveUp.abort(new Error('enough'));
  await ending;
  await closed;
});

test('Scaleway without a response is VENDOR_UNAVAILABLE after the deadline', async t => {
  const { open, zone, faults } = await benchFor(t);
  faults.add({ kind: 'request', fault: { type: 'hang' } });
  const vendor = open({ patience: { deadline: milliseconds(100) } });
  await assert.rejects(vendor.servers(zone), { code: 'VENDOR_UNAVAILABLE', message: /no response within 100ms/ });
});

test('a disabled SSH key is reported, and neither used nor created again', async t => {
  const { vendor, keys: registered, scaleway } = await benchFor(t);
  const { id } = await vendor.registerKey({ name: 'fleet', publicKey: FIRST_KEY });
  const { apiURL, secretKey } = scaleway.apiFor();
  const headers = { 'x-auth-token': secretKey };
  await fetch(`${apiURL}/iam/v1alpha1/ssh-keys/${id}`, { method: 'PATCH', headers, body: '{"disabled":true}' });
  const again = vendor.registerKey({ name: 'fleet', publicKey: FIRST_KEY });
  await assert.rejects(again, {
    code: 'VENDOR_REJECTED',
    message: /SSH key fleet .* is disabled; enable or delete/,
  });
  assert.equal(registered().length, 1);
});

test('a rejection by Scaleway is reported with its message', async t => {
  const { vendor, scaleway } = await benchFor(t);
  const ref = await scaleway.console.addServer({ name: 'devos', image: 'devos-sequoia-15.6' });
  await assert.rejects(vendor.reinstall(ref, undefined), { code: 'VENDOR_REJECTED', message: /DevOS/ });
});

test('I31: a retired Scaleway image is rejected with the offered images', async t => {
  const { vendor, addServer, scaleway } = await benchFor(t);
  const ref = await addServer('one');
  scaleway.console.retireImage('macos-tahoe-26.3');
  const message = /image macos-tahoe-26\.3 is not offered for M2-L in fr-par-1; offered: .*macos-tahoe-26\.6\.1/;
  await assert.rejects(vendor.reinstall(ref, 'macos-tahoe-26.3'), { code: 'VENDOR_IMAGE_NOT_OFFERED', message });
  assert.equal((await vendor.server(ref))?.state, 'ready');
});
