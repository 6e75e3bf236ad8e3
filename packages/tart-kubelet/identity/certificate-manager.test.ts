import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Duration, minutes, seconds } from '@minifleet/clock';
import { eventually, type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { type CertificateSigningRequest, certificateSigningRequests, silentLog } from '@minifleet/kube';
import { createMemoryApi, type MemoryApi } from '@minifleet/kube/testing';
import { type CertificateError, CertificateManager } from './certificate-manager.ts';
import { createCertificateStore, type NodeCredential } from './certificate-store.ts';
import { servingTerms } from './certificate-terms.ts';

import { issueForTests } from './testing/issue-for-tests.ts';

interface Bench {
  readonly clock: FakeClock;
  readonly api: MemoryApi;
  readonly kept: CertificateManager;
  readonly credentials: NodeCredential[];
  readonly troubles: string[];
  hosts: string[];
  /** The pending request. */
  open(): Promise<CertificateSigningRequest>;
  /** Answers as a signer would, for so long. */
  issue(life: Duration): Promise<void>;
  deny(): Promise<void>;
  /** Sets the clock off by so much, without the timers noticing. */
  setClock(off: Duration): void;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

async function start(context: TestContext): Promise<Bench> {
  const directory = mkdtempSync(join(tmpdir(), 'keep-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  const clock = fakeClock();
  let off = 0;
  const wallClock = { ...clock, now: () => clock.now() + off };
  const api = createMemoryApi({ clock });
  const credentials: NodeCredential[] = [];
  const troubles: string[] = [];
  let stop = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const terms = () => servingTerms('mini-01', bench.hosts);
  const store = createCertificateStore({ directory, name: 'serving' });
  const run = (): CertificateManager => {
    let last: CertificateError | undefined;
    const kept = new CertificateManager({
      clock: wallClock,
      log: silentLog,
      store,
      terms,
      client: () => api.client,
      onCredential: credential => credentials.push(credential),
      onChange() {
        const { error } = kept.view;
        if (error && error !== last) troubles.push(error.reason);
        last = error;
      },
    });
    running = kept.run(stop.signal);
    return kept;
  };
  const answer = async (status: object, subresource: string): Promise<void> => {
    const request = await bench.open();
    await api.client.update(certificateSigningRequests, { ...request, status }, { subresource });
    await clock.settle();
  };
  let kept: CertificateManager | undefined;
  const bench: Bench = {
    clock,
    api,
    credentials,
    troubles,
    hosts: ['10.32.0.9'],
    get kept() {
      return kept ?? assert.fail('not started');
    },
    open: () =>
      eventually(async () => {
        const { items } = await api.client.list(certificateSigningRequests);
        return items.find(({ status }) => !status?.certificate && !status?.conditions?.length);
      }),
    async issue(life) {
      const key = await store.nextKey();
      const now = clock.now();
      const { certificate } = issueForTests(terms() ?? assert.fail(), { from: now, to: now + life }, key);
      const count = credentials.length;
      await answer({ certificate: Buffer.from(certificate).toString('base64') }, 'status');
      await eventually(() => credentials.length > count);
    },
    deny: () =>
      answer({ conditions: [{ type: 'Denied', status: 'True', reason: 'No', message: 'unknown host' }] }, 'approval'),
    setClock(by) {
      off = by;
    },
    async restart() {
      await bench.stop();
      stop = new AbortController();
      kept = run();
      await clock.settle();
    },
    async stop() {
      stop.abort();
      await running;
    },
  };
  context.after(() => bench.stop());
  kept = run();
  return bench;
}

test('a certificate is requested and stored, and renewed only when most of its lifetime is over', async context => {
  const bench = await start(context);
  const { metadata, spec } = await bench.open();
  assert.match(metadata.name, /^node-csr-/);
  assert.deepEqual(spec.usages, ['digital signature', 'server auth']);
  await eventually(() => bench.kept.view.waitingFor === metadata.name);
  assert.equal(bench.kept.view.valid, false);
  await bench.issue(minutes(100));
  assert.deepEqual(bench.kept.view, { valid: true, waitingFor: undefined, error: undefined });
  await bench.clock.advance(minutes(69));
  assert.equal((await bench.api.client.list(certificateSigningRequests)).items.length, 1);
  await bench.clock.advance(minutes(2));
  const renewal = await bench.open();
  assert.notEqual(renewal.metadata.name, metadata.name);
  assert.ok(bench.kept.view.valid, 'the old one is kept until the new one is there');
  await bench.issue(minutes(100));
  assert.equal(bench.credentials.length, 2);
});

test('a restarted agent reuses its CSR by name and its issued certificate', async context => {
  const bench = await start(context);
  const { metadata } = await bench.open();
  await bench.restart();
  assert.equal((await bench.open()).metadata.name, metadata.name);
  await bench.issue(minutes(100));
  await bench.restart();
  await eventually(() => bench.kept.view.valid);
  const { items } = await bench.api.client.list(certificateSigningRequests);
  assert.equal(items.length, 1);
});

test('a denied CSR is reported, and a CSR with a new key follows after a back-off', async context => {
  const bench = await start(context);
  const { metadata } = await bench.open();
  await bench.deny();
  await eventually(() => bench.troubles.length === 1);
  assert.deepEqual(bench.troubles, ['CertificateRequestDenied']);
  assert.match(bench.kept.view.error?.message ?? '', /denied \(unknown host\)/);
  bench.kept.recheck(); // the report of the denial leads here: it may not cut the pause short
  await bench.clock.settle();
  assert.equal((await bench.api.client.list(certificateSigningRequests)).items.length, 1);
  await bench.clock.advance(seconds(2));
  assert.notEqual((await bench.open()).metadata.name, metadata.name);
  await bench.issue(minutes(100));
  assert.equal(bench.kept.view.error, undefined);
});

test('a CSR that was deleted before its approval is created again under the same name', async context => {
  const bench = await start(context);
  const { metadata } = await bench.open();
  await eventually(() => bench.kept.view.waitingFor);
  await bench.api.client.delete(certificateSigningRequests, metadata);
  await eventually(() => bench.troubles.includes('CertificateRequestGone'));
  await bench.clock.advance(seconds(2));
  assert.equal((await bench.open()).metadata.name, metadata.name);
});

test('a new Node address requests a new serving certificate, even while a CSR is pending', async context => {
  const bench = await start(context);
  const first = await bench.open();
  await eventually(() => bench.kept.view.waitingFor);
  bench.hosts = ['10.32.0.10'];
  bench.kept.recheck();
  await eventually(() => bench.kept.view.waitingFor !== first.metadata.name && bench.kept.view.waitingFor);
  await bench.api.client.delete(certificateSigningRequests, first.metadata);
  await bench.issue(minutes(100));
  bench.hosts = ['10.32.0.11'];
  bench.kept.recheck();
  await bench.open();
  assert.deepEqual(bench.troubles, []);
});

test('a certificate that expired by a wrong clock is valid again when the clock is set back', async context => {
  const bench = await start(context);
  await bench.open();
  await bench.issue(minutes(60 * 24 * 365));
  bench.setClock(minutes(60 * 24 * 400));
  await bench.clock.advance(minutes(61));
  const { metadata } = await bench.open();
  assert.equal(bench.kept.view.valid, false);
  bench.setClock(minutes(0));
  assert.ok(bench.kept.view.valid);
  await bench.api.client.delete(certificateSigningRequests, metadata);
  await eventually(() => bench.troubles.length === 1);
  await bench.clock.advance(minutes(10));
  assert.deepEqual((await bench.api.client.list(certificateSigningRequests)).items.length, 1);
  assert.equal(bench.kept.view.error, undefined);
});
