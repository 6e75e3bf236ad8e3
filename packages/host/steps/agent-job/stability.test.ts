import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PrintedJob } from '../../launchd/printed-job.ts';
import { type AgentState, agentProblem, killedForSignature } from './agent-state.ts';
import { remedyFor } from './roll-agent.ts';

const job: PrintedJob = {
  state: 'running',
  pid: 400,
  runs: 3,
  arguments: [],
  environment: {},
  user: 'm1',
  logFile: undefined,
  keepAlive: true,
  lastExit: { code: undefined, signal: undefined, reason: undefined },
};

/** State of an agent with the given overrides (default: healthy, a minute after a roll). */
function agent(more: Partial<AgentState> & { readonly job?: Partial<PrintedJob> | undefined }): AgentState {
  const known = 'job' in more && more.job === undefined ? undefined : { ...job, ...more.job };
  return {
    daemon: { propertyList: '', place: undefined, job: known, disabled: false },
    current: { slot: 'aaaa', switchedAt: 940 },
    previous: undefined,
    command: undefined,
    credentialsAt: 900,
    rolledAt: 940,
    process: { pid: 400, age: 60 },
    owned: new Map(),
    now: 1_000,
    ...more,
  };
}

const signature = { lastExit: { code: undefined, signal: 'Killed: 9', reason: 'OS_REASON_CODESIGNING' } };
const none = new Set<never>();

test('an agent is stable after running for a while from the current slot', () => {
  assert.equal(agentProblem(agent({})), undefined);
  // Started in the very second of the switch: whole seconds do not tell them apart.
  assert.equal(agentProblem(agent({ process: { pid: 400, age: 60 }, now: 1_000 })), undefined);
});

test('the last exit that launchd remembers is ignored while the agent is healthy', () => {
  assert.equal(agentProblem(agent({ job: signature })), undefined);
  assert.equal(killedForSignature(agent({ job: signature })), false);
});

test('each agent problem has a kind and a remedy', () => {
  const table: readonly (readonly [AgentState, string | undefined, string | undefined])[] = [
    [agent({ job: undefined, process: undefined }), 'gone', 'load again'],
    [agent({ job: { pid: undefined, state: 'not running' }, process: undefined }), 'gone', 'start again'],
    [agent({ job: { pid: undefined, state: 'spawn scheduled' }, process: undefined }), 'ending', undefined],
    [agent({ process: { pid: 400, age: undefined } }), 'ending', undefined],
    [agent({ process: { pid: 400, age: 4 } }), 'young', undefined],
    [agent({ process: { pid: 400, age: 61 } }), 'stale', 'start again'],
    [agent({ credentialsAt: 950 }), 'stale', 'start again'],
    [agent({ job: { ...signature, state: 'spawn scheduled' }, process: undefined }), 'ending', 'sign again'],
    [agent({ job: signature, process: { pid: 400, age: 0 } }), 'young', 'sign again'],
  ];
  for (const [state, kind, remedy] of table) {
    assert.equal(agentProblem(state)?.kind, kind);
    assert.equal(remedyFor(state, none), remedy);
    if (remedy !== undefined)
      assert.equal(remedyFor(state, new Set(['load again', 'start again', 'sign again'])), undefined);
  }
});

test('a link or a kubeconfig with a future timestamp is ignored', () => {
  assert.equal(agentProblem(agent({ current: { slot: 'aaaa', switchedAt: 5_000 } })), undefined);
  assert.equal(agentProblem(agent({ credentialsAt: 5_000 })), undefined);
});
