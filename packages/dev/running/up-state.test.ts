import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { INCIDENT_UNKNOWN } from '../incidents/errors.ts';
import { type ControlHandler, sendControlRequest, startControlServer } from './control-socket.ts';
import { claimUpState, findRunningUp, readUpState, removeUpState, writeUpState } from './up-state.ts';

const stateDirectory = mkdtempSync(join(tmpdir(), 'up-state-'));
after(() => rmSync(stateDirectory, { recursive: true }));
const control = join(stateDirectory, 'control');
const state = { pid: 7, kubeconfig: '/k', tools: '/t', control };

const linesOf = async (name: string, body?: unknown): Promise<unknown[] | undefined> => {
  const lines = await sendControlRequest(control, name, { body });
  return lines && Array.fromAsync(lines);
};
const serving = async (handlers: Record<string, ControlHandler>, work: () => Promise<void>): Promise<void> => {
  const server = await startControlServer(control, handlers);
  try {
    await work();
  } finally {
    await server.close();
  }
};

test('other commands find a running up, and the state file of a killed up is removed', async () => {
  assert.equal(await findRunningUp({ stateDirectory }), undefined);
  await writeUpState(stateDirectory, state);
  await serving({ status: async (_, report) => report({ ready: false }) }, async () => {
    assert.deepEqual(await findRunningUp({ stateDirectory }), { ...state, ready: false });
  });
  assert.equal(await findRunningUp({ stateDirectory }), undefined);
  assert.equal(readUpState(stateDirectory), undefined);
});

test('of two up that start together one is rejected, and the state file of a killed up blocks neither', async () => {
  const second = { ...state, pid: state.pid + 1, kubeconfig: '/second' };
  await writeUpState(stateDirectory, { ...state, control: join(stateDirectory, 'killed') });
  await serving({ status: async (_, report) => report({ ready: false }) }, async () => {
    const both = await Promise.allSettled([state, second].map(each => claimUpState({ stateDirectory }, each)));
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const rejected = both.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    assert.match(String(rejected.reason), /minifleet up already runs \(process \d+, .*minifleet down/);
  });
  assert.deepEqual(readdirSync(stateDirectory), ['up.json']);
  removeUpState(stateDirectory, state);
});

test('an unreadable state file does not block a start', async () => {
  writeFileSync(join(stateDirectory, 'up.json'), '{');
  await claimUpState({ stateDirectory }, state);
  assert.deepEqual(readUpState(stateDirectory), state);
  removeUpState(stateDirectory, state);
});

test('a control request yields every reported line, and a failure with its error code', async () => {
  const handlers: Record<string, ControlHandler> = {
    async greet(name, report) {
      report({ hello: name });
      throw INCIDENT_UNKNOWN({ incident: 'I99' });
    },
  };
  await serving(handlers, async () => {
    const failed = `${INCIDENT_UNKNOWN({ incident: 'I99' }).message} (INCIDENT_UNKNOWN)`;
    assert.deepEqual(await linesOf('greet', 'Anna'), [{ hello: 'Anna' }, { failed }]);
    assert.deepEqual(await linesOf('unknown'), []);
  });
  assert.equal(await linesOf('greet'), undefined, 'no process serves the socket');
});

test('the signal of a control handler aborts when its client disconnects', async () => {
  const disconnected = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const stop = new AbortController();
  const wait: ControlHandler = (_, report, signal) => {
    signal.addEventListener('abort', () => disconnected.resolve(), { once: true });
    report({});
    started.resolve();
    return disconnected.promise;
  };
  await serving({ wait }, async () => {
    const lines = await sendControlRequest(control, 'wait', { signal: stop.signal });
    await started.promise;
    stop.abort();
    await disconnected.promise;
    await assert.rejects(Array.fromAsync(lines ?? []), /aborted/);
  });
});
