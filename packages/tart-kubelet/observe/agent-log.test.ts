import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fakeClock } from '@minifleet/clock/testing';
import type { LogLevel } from '@minifleet/kube';
import { createRedactor, Secret } from '@minifleet/secret';
import { openAgentLog } from './agent-log.ts';

function logOf(t: TestContext, level: LogLevel = 'info', secrets: Secret[] = []) {
  const directory = mkdtempSync(join(tmpdir(), 'log-'));
  const path = join(directory, 'agent.log');
  const redactor = createRedactor(secrets);
  const agentLog = openAgentLog({ path, level, clock: fakeClock(), node: 'mini-01', redactor });
  t.after(() => {
    agentLog.close();
    rmSync(directory, { recursive: true });
  });
  return { log: agentLog.log, text: () => readFileSync(path, 'utf8') };
}

test('an agent log line is JSON with level, time, Node, fields and a message', t => {
  const { log, text } = logOf(t);
  log.child({ pod: 'default/a' }).info({ image: 'x' }, 'Pulled');
  assert.deepEqual(JSON.parse(text()), {
    level: 'info',
    time: '2030-01-01T00:00:00.000Z',
    node: 'mini-01',
    pod: 'default/a',
    image: 'x',
    message: 'Pulled',
  });
});

test('agent log lines below the level are not written', t => {
  const { log, text } = logOf(t, 'warn');
  log.debug({}, 'one');
  log.info({}, 'two');
  log.warn({}, 'three');
  log.error({}, 'four');
  assert.equal(text().trim().split('\n').length, 2);
});

test('the agent log contains no secret: not by field name, not in a text, not encoded', t => {
  const { log, text } = logOf(t, 'info', [new Secret('registry password', 'hunter2hunter2')]);
  log.info({ password: 'one', deep: { token: 'two', credentials: { auth: 'three' } } }, 'fields');
  log.warn({ err: { message: 'refused hunter2hunter2' } }, `and hunter2hunter2 ${btoa('hunter2hunter2')}`);
  assert.doesNotMatch(text(), /one|two|three|hunter2|aHVudGVyMmh1bnRlcjI/);
});

test('control characters in a field are escaped and start no new log line', t => {
  const { log, text } = logOf(t);
  log.info({ said: '\u001b[2Jgone\n{"level":"error"}' }, 'said');
  assert.equal(text().split('\n').length, 2);
  assert.equal(text().includes('\u001b'), false);
});

test('an agent log line of a megabyte is shortened and stays JSON', t => {
  const { log, text } = logOf(t);
  log.info({ body: 'x'.repeat(1_000_000) }, 'long');
  const line = JSON.parse(text()) as { message: string; length: number };
  assert.match(line.message, /too long/);
  assert.ok(line.length > 1_000_000 && text().length < 70_000);
});

test('agent log lines that could not be written are counted', () => {
  const redactor = createRedactor();
  const agentLog = openAgentLog({
    path: '/dev/null/agent.log',
    level: 'info',
    clock: fakeClock(),
    node: 'mini-01',
    redactor,
  });
  agentLog.log.info({}, 'one');
  agentLog.log.info({}, 'two');
  assert.equal(agentLog.lost, 2);
});
