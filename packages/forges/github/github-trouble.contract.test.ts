import assert from 'node:assert/strict';
import { test } from 'node:test';
import { milliseconds, minutes, seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { LABELS } from '../testing/contract/forge-bench.ts';
import { benchFor, type GithubBench } from './testing/github-bench.ts';

const LIST = /^GET .*\/runners$/;
const JIT = /generate-jitconfig$/;
const wanted = { name: 'pod-1', labels: LABELS };

const answers = ({ requests }: GithubBench, path: RegExp): readonly string[] =>
  requests()
    .filter(request => path.test(request.split(' ').slice(0, 2).join(' ')))
    .map(request => request.split(' ').at(-1) ?? '');

for (const when of ['before', 'during', 'after'] as const) {
  test(`a read whose connection breaks ${when} the response is retried`, async t => {
    const { forge, faults } = await benchFor(t);
    faults.add({ detail: LIST, times: 1, fault: { type: 'drop', when } });
    assert.deepEqual(await forge.runners(), []);
  });
}

test('a truncated response to a runner registration is an error, and the next call succeeds', async t => {
  const { forge, faults, start } = await benchFor(t);
  faults.add({ detail: JIT, times: 1, fault: { type: 'drop', when: 'during' } });
  await assert.rejects(forge.singleJobRunner(wanted), { code: 'FORGE_UNAVAILABLE' });
  start((await forge.singleJobRunner(wanted)).configuration);
});

test('a runner registration is requested once, whatever the response', async t => {
  const bench = await benchFor(t);
  bench.faults.add({ detail: JIT, fault: { type: 'fail', code: 502, message: 'Server Error' } });
  await assert.rejects(bench.forge.singleJobRunner(wanted), { code: 'FORGE_UNAVAILABLE', message: /Server Error/ });
  assert.deepEqual(answers(bench, JIT), ['502']);
});

test('a read without a response times out, is retried and reported, and leaves no timer', async t => {
  const { forge, faults, journal, clock } = await benchFor(t);
  await forge.runners();
  faults.add({ detail: LIST, fault: { type: 'hang' } });
  const hanging = (): number => journal.entries.filter(({ what }) => what === 'fault hang').length;
  const asking = forge.runners();
  const failed = assert.rejects(asking, {
    code: 'FORGE_UNAVAILABLE',
    message: /runners failed \(no answer within 10s\)/,
  });
  await eventually(() => hanging() === 1);
  await clock.advance(seconds(10));
  await eventually(() => hanging() === 2);
  await clock.advance(seconds(10));
  await failed;
  assert.equal(clock.pending, 0);
});

test('a whole GitHub call has a deadline', async t => {
  const { open, faults, journal, clock } = await benchFor(t);
  const forge = await open({ limits: { requestTimeout: minutes(5), deadline: seconds(30) } });
  faults.add({ detail: LIST, fault: { type: 'hang' } });
  const failed = assert.rejects(forge.runners(), { code: 'FORGE_UNAVAILABLE', message: /no answer within 30s/ });
  await eventually(() => journal.entries.some(({ what }) => what === 'fault hang'));
  await clock.advance(seconds(30));
  await failed;
});

test('an aborted hanging request rejects at once and is not retried', async t => {
  const { forge, faults, journal } = await benchFor(t);
  faults.add({ detail: LIST, fault: { type: 'hang' } });
  const giveUp = new AbortController();
  const reason = new Error('enough');
  const asking = assert.rejects(forge.runners({ signal: giveUp.signal }), error => error === reason);
  const hanging = (): number => journal.entries.filter(({ what }) => what === 'fault hang').length;
  await eventually(() => hanging() === 1);
  giveUp.abort(reason);
  await asking;
  faults.clear();
  assert.deepEqual(await forge.runners(), []);
  assert.equal(hanging(), 1);
});

test('a short Retry-After is waited for, and the call succeeds', async t => {
  const bench = await benchFor(t);
  const { forge, github, clock } = bench;
  await forge.runners();
  github.state.limits.throttle({ status: 429, retryAfter: seconds(1) });
  const began = performance.now();
  assert.deepEqual(await forge.runners(), []);
  assert.ok(performance.now() - began > 900, 'it came back too early');
  assert.deepEqual(answers(bench, LIST), ['200', '429', '200']);
  // Octokit waited by the time of day; on this clock the silence lasts, and others keep it, too.
  const second = forge.runners();
  await clock.settle();
  assert.equal(answers(bench, LIST).length, 3);
  await clock.advance(seconds(1));
  assert.deepEqual(await second, []);
});

test('a long Retry-After fails at once, and nothing is sent before it ends', async t => {
  const bench = await benchFor(t);
  const { forge, github, clock, requests } = bench;
  await forge.runners();
  github.state.limits.throttle({ status: 403, retryAfter: seconds(90) });
  await assert.rejects(forge.runners(), { code: 'FORGE_BUSY', message: /runners is rate limited/ });
  const sent = requests().length;
  await clock.advance(seconds(60));
  await assert.rejects(forge.registrationToken(), { code: 'FORGE_BUSY' });
  assert.equal(requests().length, sent);
  await clock.advance(seconds(30));
  await forge.registrationToken();
});

test('the hourly rate limit is not a permission error', async t => {
  const { forge, github, clock } = await benchFor(t);
  await forge.runners();
  github.state.limits.setLimit(0);
  await assert.rejects(forge.runners(), { code: 'FORGE_BUSY' });
  github.state.limits.setLimit(5_000);
  await assert.rejects(forge.runners(), { code: 'FORGE_BUSY' });
  await clock.advance(minutes(61));
  assert.deepEqual(await forge.runners(), []);
});

test('GitHub failures during token requests are errors of the call', async t => {
  const { forge, faults } = await benchFor(t);
  faults.add({ detail: /access_tokens$/, fault: { type: 'fail', code: 503, message: 'Service Unavailable' } });
  await assert.rejects(forge.runner('mini-01'), { code: 'FORGE_UNAVAILABLE', message: /runner failed \(Service/ });
});

test('a refused connection is reported with its code', async t => {
  const { open } = await benchFor(t);
  const forge = await open({ apiUrl: 'http://127.0.0.1:1', limits: { retries: 0, firstRetryDelay: milliseconds(1) } });
  await assert.rejects(forge.runners(), { code: 'FORGE_UNAVAILABLE', message: /ECONNREFUSED|bad port/ });
});
