import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runnerPool } from '@minifleet/api';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { scalingSource } from './scaling-source.ts';

const pool = { ...runnerPool.withDefaults(runnerPool.example), status: { busy: 3 } };
const server = new URL('https://api.example:6443');
const { signal } = new AbortController();

test('without a signal URL the busy runners of the pool are its demand', async () => {
  const options = { url: undefined, clock: fakeClock(), sources: { server }, onAsked: () => assert.fail('asked') };
  assert.equal((await scalingSource(options)(pool, { signal })).occupied, 3);
});

test('the scaling source sends the current token from its file, and every outcome is reported', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'minifleet-token-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'token');
  const shown: (string | undefined)[] = [];
  const http = createServer(({ headers }, response) => {
    shown.push(headers.authorization);
    if (shown.length === 1) response.end(JSON.stringify({ claimed: 1, queued: 2 }));
    else response.writeHead(503).end();
  });
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    http.closeAllConnections();
    http.close();
  });
  const clock = fakeClock();
  const outcomes: string[] = [];
  const source = scalingSource({
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    clock,
    sources: { server, token: { file } },
    onAsked: outcome => void outcomes.push(outcome),
  });
  writeFileSync(file, 'first\n');
  assert.equal((await source(pool, { signal })).queued, 2);
  writeFileSync(file, 'second\n');
  await clock.advance(seconds(4));
  await assert.rejects(source(pool, { signal }), /HTTP 503/);
  assert.deepEqual(shown, ['Bearer first', 'Bearer second']);
  assert.deepEqual(outcomes, ['ok', 'ScalingSignalsUnavailable']);
});
