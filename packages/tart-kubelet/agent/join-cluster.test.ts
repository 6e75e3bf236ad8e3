import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '@minifleet/clock';
import { eventuallyHolds } from '@minifleet/clock/testing';
import { silentLog } from '@minifleet/kube';
import { createRedactor } from '@minifleet/secret';
import { createAgentMetrics } from '../observe/agent-metrics.ts';
import type { AgentContext } from './agent-context.ts';
import { parseAgentFlags } from './flags.ts';
import type { HostDeps } from './host-deps.ts';
import { joinCluster } from './join-cluster.ts';

const TOKEN = 'abcdef.0123456789abcdef';

test('the log redactor of the agent learns the bootstrap token before the agent has joined', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'join-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const kubeconfig = join(directory, 'kubeconfig');
  const document = {
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'u', user: { token: TOKEN } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(kubeconfig, JSON.stringify(document));
  const redactor = createRedactor();
  const stop = new AbortController();
  const context: AgentContext = {
    ...{ clock: systemClock, environment: {}, user: 'm1', version: 'test', supervisor: ['false'], signal: stop.signal },
    ...{ log: silentLog, lostLogLines: () => 0, redactor, logs: directory, tartHome: directory },
    flags: parseAgentFlags([`--kubeconfig=${kubeconfig}`, `--state-dir=${directory}`], 'mini-01'),
  };
  const joining = joinCluster(context, { metrics: createAgentMetrics() } as HostDeps, () => undefined);
  await eventuallyHolds(async () => assert.equal(redactor.redact(`token ${TOKEN}`), 'token [token]'));
  stop.abort();
  assert.equal(await joining, undefined);
});
