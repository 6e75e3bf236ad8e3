import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { HELP } from '../packages/tart-kubelet/agent/flags.ts';
import { OWN_CONDITIONS } from '../packages/tart-kubelet/node/node-conditions.ts';
import { createAgentMetrics } from '../packages/tart-kubelet/observe/agent-metrics.ts';

const page = readFileSync(new URL('./node-agent.md', import.meta.url), 'utf8');
const section = (title: string): string => page.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
const named = (text: string, pattern: RegExp): string[] => [...new Set(text.match(pattern) ?? [])].sort();

test('docs/node-agent.md lists exactly the flags of the agent', () => {
  const flags = /--[a-z][a-z-]+/g;
  assert.deepEqual(named(section('Flags'), flags), named(HELP, flags));
});

test('docs/node-agent.md lists exactly the metrics of the agent', async () => {
  const { registry } = createAgentMetrics().kube;
  const names = (await registry.getMetricsAsJSON()).map(({ name }) => name);
  const agentMetrics = names.filter(name => name.startsWith('tart_kubelet_')).sort();
  assert.deepEqual(named(page, /tart_kubelet_\w+/g), agentMetrics);
});

test('docs/node-agent.md lists every Node condition of the agent', () => {
  for (const condition of OWN_CONDITIONS) assert.ok(section('Node conditions').includes(`\`${condition}\``));
});
