import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { type RunnerPool, runnerPool } from '@minifleet/api';
import { seconds } from '@minifleet/clock';
import { eventually, fakeClock } from '@minifleet/clock/testing';
import { httpSignals } from './http-signals.ts';
import { rememberedSignals, type Signals } from './signals.ts';

const answer = { fleet: 'macos', claimed: 5, occupied: 6, queued: 3, withheld: 2, p95_concurrent_last_hour: 3.2 };
const pool = { ...runnerPool.withDefaults(runnerPool.example), metadata: { namespace: 'ci', name: 'macos' } };

describe('signals over HTTP', () => {
  let server: Server;
  let url: string;
  let handle: (request: IncomingMessage, response: ServerResponse) => void;
  const never = new AbortController().signal;

  before(async () => {
    server = createServer((request, response) => handle(request, response));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/signals?version=1`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const answering = (status: number, body: unknown): void => {
    handle = (_, response) =>
      void response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  const ask = (clock = fakeClock(), signal = never): Promise<Signals> =>
    httpSignals({ url, clock, token: async () => 'our-token' })(pool, { signal });

  test('the signal request contains the pool name and the service account token', async () => {
    let seen: readonly (string | undefined)[] = [];
    handle = ({ url: path, headers }, response) => {
      seen = [path, headers.authorization];
      response.end(JSON.stringify(answer));
    };
    assert.deepEqual(await ask(), { claimed: 5, occupied: 6, queued: 3, withheld: 2, p95: 4 });
    assert.deepEqual(seen, ['/signals?version=1&fleet=macos', 'Bearer our-token']);
  });

  test('signals that older servers omit are 0', async () => {
    answering(200, { claimed: 1, queued: 2 });
    assert.deepEqual(await ask(), { claimed: 1, occupied: 0, queued: 2, withheld: 0, p95: 0 });
  });

  const refused: readonly (readonly [string, number, unknown, RegExp])[] = [
    ['HTTP 500', 500, answer, /HTTP 500/],
    ['HTTP 403', 403, answer, /HTTP 403/],
    ['HTTP 204', 204, '', /HTTP 204/],
    ['text that is not JSON', 200, '<html>', /the response is not JSON/],
    ['an empty object', 200, {}, /field claimed is not a count/],
    ['a negative count', 200, { ...answer, queued: -1 }, /field queued is not a count/],
    ['text as a count', 200, { ...answer, occupied: 'many' }, /field occupied is not a count/],
    ['another pool', 200, { ...answer, fleet: 'other' }, /the response is for other/],
    ['more than 1 MiB', 200, ' '.repeat(2 ** 21), /longer than 1 MiB/],
  ];
  for (const [name, status, body, sentence] of refused) {
    test(`a signal response with ${name} is an error, not zero demand`, async () => {
      answering(status, body);
      await assert.rejects(ask(), (error: Error & { code?: string }) => {
        assert.equal(error.code, 'SCALING_SIGNALS_UNAVAILABLE');
        assert.match(error.message, sentence);
        assert.doesNotMatch(error.message, /our-token/);
        return true;
      });
    });
  }

  test('a signal request times out after five seconds', async () => {
    const clock = fakeClock();
    let asked = false;
    handle = () => {
      asked = true;
    };
    const signals = assert.rejects(ask(clock), /no answer within 5s/);
    await eventually(() => asked);
    await clock.advance(seconds(5));
    await signals;
  });

  test('an aborted signal request rejects with the reason of its signal', async () => {
    handle = () => undefined;
    const stop = new AbortController();
    const signals = ask(fakeClock(), stop.signal);
    stop.abort();
    await assert.rejects(signals, { name: 'AbortError' });
  });

  test('without a token no signal request is sent', async () => {
    handle = () => assert.fail('asked');
    const source = httpSignals({ url, clock: fakeClock(), token: async () => undefined });
    await assert.rejects(source(pool, { signal: never }), /no service account token/);
  });
});

describe('signals that are remembered', () => {
  const signal = new AbortController().signal;
  const quiet: Signals = { claimed: 0, occupied: 0, queued: 0, withheld: 0, p95: 0 };
  const named = (name: string): RunnerPool => ({ ...pool, metadata: { namespace: 'ci', name } });

  test('cached signals are requested once per interval for all callers', async () => {
    const clock = fakeClock();
    const asked: string[] = [];
    const source = rememberedSignals(
      async ({ metadata }) => {
        asked.push(metadata.name);
        return quiet;
      },
      clock,
      seconds(4),
    );
    await Promise.all([source(named('a'), { signal }), source(named('a'), { signal }), source(named('b'), { signal })]);
    await clock.advance(seconds(3));
    await source(named('a'), { signal });
    assert.deepEqual(asked, ['a', 'b']);
    await clock.advance(seconds(1));
    await source(named('a'), { signal });
    assert.deepEqual(asked, ['a', 'b', 'a']);
  });

  test('failed signal requests are not cached', async () => {
    let down = true;
    const source = rememberedSignals(
      async () => {
        if (down) throw new Error('down');
        return quiet;
      },
      fakeClock(),
      seconds(4),
    );
    await assert.rejects(source(named('a'), { signal }));
    down = false;
    assert.deepEqual(await source(named('a'), { signal }), quiet);
  });
});
