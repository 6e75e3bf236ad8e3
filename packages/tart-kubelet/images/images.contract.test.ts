import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds, systemClock } from '@minifleet/clock';
import { eventually, fakeClock } from '@minifleet/clock/testing';
import { silentLog } from '@minifleet/kube';
import { createImages, type Images } from './images.ts';

import type { PullReport } from './pulls.ts';
import { IMAGE, type ImageHost, openImageHost, requestFor } from './testing/image-host.ts';

const OTHER = 'ghcr.io/acme/other:1';

interface More {
  readonly reclaim?: Images['reclaim'];
  readonly onPulled?: (pull: PullReport) => void;
}

const imagesOn = ({ tart, ledger }: ImageHost, clock = systemClock, more: More = {}) =>
  createImages({ tart, ledger, clock, log: silentLog, ...more });

const pullsOf = ({ calls }: ImageHost): number => calls.filter(call => call.startsWith('pull')).length;

test('an image is pulled once, known by its digest, and found by the next Pod without the registry', async t => {
  const host = await openImageHost(t);
  const { digest } = host.registry.seedImage('acme/runner:1');
  const reports: PullReport[] = [];
  const images = imagesOn(host, systemClock, { onPulled: report => void reports.push(report) });
  const name = `ghcr.io/acme/runner@${digest}`;
  assert.deepEqual(await images.ensure(requestFor(IMAGE)), { digest: name, pulled: true });
  assert.deepEqual(await images.ensure(requestFor(IMAGE)), { digest: name, pulled: false });
  assert.deepEqual(await images.ensure(requestFor(name, { policy: 'Never' })), { digest: name, pulled: false });
  assert.equal(pullsOf(host), 1);
  assert.deepEqual(await images.list(), [{ names: [name, IMAGE], sizeBytes: 20e9 }]);
  assert.deepEqual([...host.ledger.owned().keys()], [name]);
  assert.deepEqual(
    reports.map(({ error, bytes }) => [error, bytes]),
    [[undefined, 20e9]],
  );
  const state = await images.state(requestFor(IMAGE));
  assert.deepEqual(state, { state: 'present', digest: name, bytes: 20e9 });
});

test('five concurrent Pods with one image cause one pull', async t => {
  const host = await openImageHost(t);
  host.registry.seedImage('acme/runner:1');
  const images = imagesOn(host);
  const all = await Promise.all(
    Array.from({ length: 5 }, () => images.ensure(requestFor(IMAGE, { policy: 'Always' }))),
  );
  assert.equal(new Set(all.map(({ digest }) => digest)).size, 1);
  assert.equal(pullsOf(host), 1);
});

test('I39 pull policy Always follows a moved tag, and IfNotPresent keeps the local image', async t => {
  const host = await openImageHost(t);
  const first = host.registry.seedImage('acme/runner:1');
  const images = imagesOn(host);
  await images.ensure(requestFor(IMAGE));
  const second = host.registry.seedImage('acme/runner:1', { version: 'next' });
  assert.match((await images.ensure(requestFor(IMAGE))).digest, new RegExp(first.digest));
  assert.match((await images.ensure(requestFor(IMAGE, { policy: 'Always' }))).digest, new RegExp(second.digest));
});

test('an invalid image name is rejected without a Tart call, and pull policy Never pulls nothing', async t => {
  const host = await openImageHost(t);
  const images = imagesOn(host);
  await assert.rejects(images.ensure(requestFor('golden')), { reason: 'InvalidImageName' });
  assert.deepEqual(host.calls, []);
  await assert.rejects(images.ensure(requestFor(IMAGE, { policy: 'Never' })), { reason: 'ErrImageNeverPull' });
  assert.equal(pullsOf(host), 0);
});

test('a failed pull backs off 10 s, then 20 s, and does not delay other images', async t => {
  const clock = fakeClock();
  const host = await openImageHost(t, { clock });
  host.registry.seedImage('acme/other:1');
  const images = imagesOn(host, clock);
  const expectedAt = (delay: number) => clock.now() + delay;
  await assert.rejects(images.ensure(requestFor(IMAGE)), { reason: 'ErrImagePull' });
  const state = await images.state(requestFor(IMAGE));
  assert.equal(state?.state === 'backing off' && state.until, expectedAt(seconds(10)));
  await assert.rejects(images.ensure(requestFor(IMAGE)), { reason: 'ImagePullBackOff' });
  assert.equal(pullsOf(host), 1);
  assert.equal((await images.ensure(requestFor(OTHER))).pulled, true);
  await clock.advance(seconds(10));
  await assert.rejects(images.ensure(requestFor(IMAGE)), { reason: 'ErrImagePull' });
  const again = await images.state(requestFor(IMAGE));
  assert.equal(again?.state === 'backing off' && again.until, expectedAt(seconds(20)));
  host.registry.seedImage('acme/runner:1');
  await clock.advance(seconds(20));
  assert.equal((await images.ensure(requestFor(IMAGE))).pulled, true);
});

test('an image that cannot be inspected is not pulled again', async t => {
  const fault = { type: 'fail', code: 1, message: 'something else' } as const;
  const host = await openImageHost(t, { host: { faults: [{ kind: 'command', matches: '^tart fqn', fault }] } });
  await assert.rejects(imagesOn(host).ensure(requestFor(IMAGE)), { reason: 'ImageInspectError' });
  assert.equal(pullsOf(host), 0);
});

test('each pull secret of a Pod is tried until the registry accepts one, and none is in an argument', async t => {
  const authorization = { scheme: 'bearer', username: 'robot', password: 'right' } as const;
  const host = await openImageHost(t, { authorization });
  host.registry.seedImage('acme/runner:1');
  const images = imagesOn(host);
  const wrong = { hostname: 'ghcr.io/acme', username: 'robot', password: 'wrong' };
  const right = { hostname: 'ghcr.io', username: 'robot', password: 'right' };
  const elsewhere = { hostname: 'quay.io', username: 'robot', password: 'right' };
  const refused = images.ensure(requestFor(IMAGE, { credentials: [wrong, elsewhere] }));
  await assert.rejects(refused, (error: Error) => !error.message.includes('wrong') && /403/.test(error.message));
  // Another secret is another question: it does not wait for the back-off of the wrong one.
  assert.equal((await images.ensure(requestFor(IMAGE, { credentials: [right, wrong] }))).pulled, true);
  assert.equal(host.calls.filter(call => /right|wrong/.test(call)).length, 0);
});

test('a pull without disk space is retried once after garbage collection (B5)', async t => {
  const host = await openImageHost(t, { host: { disk: { freeBytes: 30e9 } } });
  for (const image of ['acme/runner:1', 'acme/other:1']) host.registry.seedImage(image);
  const asked: string[] = [];
  let helps = true;
  const reclaim = async (reason: string) => {
    asked.push(reason);
    if (helps) await host.tart.delete(IMAGE);
    return { freedBytes: 0, removed: [] };
  };
  const images = imagesOn(host, systemClock, { reclaim });
  await images.ensure(requestFor(IMAGE));
  assert.equal((await images.ensure(requestFor(OTHER))).pulled, true);
  assert.deepEqual(asked, ['no space']);
  helps = false;
  await assert.rejects(images.ensure(requestFor(IMAGE)), /isn’t enough space/);
  assert.deepEqual(asked, ['no space', 'no space']);
  assert.equal(pullsOf(host), 5);
});

test('a pull without disk space and without garbage collection fails without a retry', async t => {
  const host = await openImageHost(t, { host: { disk: { freeBytes: 10e9 } } });
  host.registry.seedImage('acme/runner:1');
  await assert.rejects(imagesOn(host).ensure(requestFor(IMAGE)), { reason: 'ErrImagePull' });
  assert.equal(pullsOf(host), 1);
});

test('a shared pull ends one minute after its last Pod is gone', async t => {
  const clock = fakeClock();
  const host = await openImageHost(t, { clock, host: { pull: { bytesPerSecond: 1e8 } } });
  host.registry.seedImage('acme/runner:1');
  const images = imagesOn(host, clock);
  const [one, other] = [new AbortController(), new AbortController()];
  const first = images.ensure(requestFor(IMAGE, { signal: one.signal }));
  const second = images.ensure(requestFor(IMAGE, { signal: other.signal }));
  await eventually(async () => {
    const state = await images.state(requestFor(IMAGE));
    return state?.state === 'pulling' && /% of 20\.0 GB/.test(state.progress);
  });
  one.abort(new Error('the Pod is gone'));
  await assert.rejects(first, /the Pod is gone/);
  await clock.advance(minutes(2));
  assert.equal((await images.state(requestFor(IMAGE)))?.state, 'pulling');
  other.abort(new Error('gone, too'));
  await assert.rejects(second, /gone, too/);
  await clock.advance(minutes(1));
  await eventually(async () => (await images.state(requestFor(IMAGE))) === undefined);
  assert.equal(host.ledger.owned().size, 0);
});

test('an image that another process pulled is used but not owned by the agent', async t => {
  const host = await openImageHost(t);
  host.registry.seedImage('acme/runner:1');
  await host.simulated.call(['pull', IMAGE]);
  const images = imagesOn(host);
  await images.ensure(requestFor(IMAGE));
  await images.ensure(requestFor(IMAGE, { policy: 'Always' }));
  assert.equal(host.ledger.owned().size, 0);
});

test('pull progress is reported to the Pod, and the remaining bytes are counted as promised', async t => {
  const clock = fakeClock();
  const host = await openImageHost(t, { clock, host: { pull: { bytesPerSecond: 2e8 } } });
  host.registry.seedImage('acme/runner:1');
  const reported: string[] = [];
  const promised: number[] = [];
  const images = imagesOn(host, clock);
  const onProgress = (message: string): void => {
    reported.push(message);
    promised.push(images.promisedBytes());
  };
  const pulling = images.ensure(requestFor(IMAGE, { onProgress }));
  await eventually(async () => {
    await clock.advance(seconds(30));
    return reported.length >= 2;
  });
  await pulling;
  assert.ok(reported.length <= 11, reported.join());
  for (const message of reported) assert.match(message, /^\d+% of 20\.0 GB$/);
  assert.deepEqual(
    promised,
    reported.map(message => ((100 - Number.parseInt(message, 10)) * 20e9) / 100),
  );
  assert.equal(images.promisedBytes(), 0);
});
