import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { ConnectionError, isRefused } from './api-error.ts';
import { type RetryOptions, retrying } from './retrying-transport.ts';
import type { ApiRequest, ApiResponse, Transport } from './transport.ts';

const get: ApiRequest = { method: 'GET', path: '/api' };
const post: ApiRequest = { method: 'POST', path: '/api', body: {} };
const answer = (status: number, headers: Record<string, string> = {}): ApiResponse => ({ status, headers, body: '{}' });

/** A server that gives the listed answers in turn, the last one for ever, and notes when it was asked. */
function scripted(clock: FakeClock, ...answers: readonly (ApiResponse | Error)[]) {
  const asked: number[] = [];
  const start = clock.now();
  const transport: Transport = {
    async send() {
      const next = answers[Math.min(asked.length, answers.length - 1)];
      asked.push((clock.now() - start) / 1_000);
      if (next instanceof Error) throw next;
      return next ?? answer(500);
    },
    open: () => Promise.reject(new Error('not a stream')),
    close: () => Promise.resolve(),
  };
  const retry = (options: Omit<RetryOptions, 'clock'>): Transport => retrying(transport, { clock, ...options });
  return { asked, retry, transport: retry({}) };
}

async function run<T>(clock: FakeClock, work: Promise<T>): Promise<PromiseSettledResult<T> | undefined> {
  const settled = Promise.allSettled([work]);
  await clock.advance(seconds(600));
  return (await settled)[0];
}

describe('a transport that retries', () => {
  test('a request with response 429 is retried after the time that the server set', async () => {
    const clock = fakeClock();
    const { asked, transport } = scripted(
      clock,
      answer(429, { 'retry-after': '3' }),
      answer(429, { 'retry-after': '2' }),
      answer(201),
    );
    const result = await run(clock, transport.send(post));
    assert.equal(result?.status === 'fulfilled' && result.value.status, 201);
    assert.deepEqual(asked, [0, 3, 5]);
  });

  test('a request that stays throttled is sent six times and then returns the 429', async () => {
    const clock = fakeClock();
    const { asked, transport } = scripted(clock, answer(429, { 'retry-after': '1' }));
    const result = await run(clock, transport.send(get));
    assert.equal(result?.status === 'fulfilled' && result.value.status, 429);
    assert.equal(asked.length, 6);
  });

  test('a 429 with Retry-After above half a minute is returned without a retry', async () => {
    const clock = fakeClock();
    const { asked, transport } = scripted(clock, answer(429, { 'retry-after': '120' }));
    const result = await run(clock, transport.send(get));
    assert.equal(result?.status === 'fulfilled' && result.value.status, 429);
    assert.deepEqual(asked, [0]);
  });

  test('a 500 is returned without a retry, and a 503 with Retry-After is retried', async () => {
    const clock = fakeClock();
    const plain = scripted(clock, answer(500));
    await run(clock, plain.transport.send(get));
    assert.equal(plain.asked.length, 1);
    const polite = scripted(clock, answer(503, { 'retry-after': '1' }), answer(200));
    await run(clock, polite.transport.send(post));
    assert.equal(polite.asked.length, 2);
  });

  test('a read is retried after a broken connection, a write is not because it may have happened', async () => {
    const clock = fakeClock();
    const broken = new ConnectionError('reset');
    const read = scripted(clock, broken, answer(200));
    await run(clock, read.transport.send(get));
    assert.equal(read.asked.length, 2);
    const write = scripted(clock, broken, answer(200));
    const result = await run(clock, write.transport.send(post));
    assert.equal(result?.status === 'rejected' && result.reason, broken);
    assert.equal(write.asked.length, 1);
  });

  test('a write that was never sent is retried', async () => {
    const clock = fakeClock();
    const { asked, transport } = scripted(clock, new ConnectionError('refused', { unsent: true }), answer(201));
    await run(clock, transport.send(post));
    assert.equal(asked.length, 2);
  });

  test('a caller can exclude connection errors from retries', async () => {
    const clock = fakeClock();
    const refused = new ConnectionError('refused', {
      cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
      unsent: true,
    });
    const impatient = { worthRetrying: (error: ConnectionError) => !isRefused(error) };
    const away = scripted(clock, refused, answer(200));
    const result = await run(clock, away.retry(impatient).send(get));
    assert.equal(result?.status === 'rejected' && result.reason, refused);
    assert.deepEqual(away.asked, [0]);
    const broken = scripted(clock, new ConnectionError('reset'), answer(200));
    await run(clock, broken.retry(impatient).send(get));
    assert.equal(broken.asked.length, 2);
  });

  test('an aborted request stops waiting for its retry', async () => {
    const clock = fakeClock();
    const stop = new AbortController();
    const { asked, transport } = scripted(clock, answer(429, { 'retry-after': '20' }));
    const sent = transport.send({ ...get, signal: stop.signal });
    await clock.settle();
    stop.abort(new Error('enough'));
    await assert.rejects(sent, /enough/);
    assert.equal(asked.length, 1);
    assert.equal(clock.pending, 0);
  });
});
