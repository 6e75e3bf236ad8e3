import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { HELP } from '../packages/tart-kubelet/agent/flags.ts';
import { OWN_CONDITIONS } from '../packages/tart-kubelet/node/node-conditions.ts';
import { createAgentMetrics } from '../packages/tart-kubelet/observe/agent-metrics.ts';

const page = readFileSync(new URL('./node-agent.md', import.meta.url), 'utf8');
const section = (title: string): string => page.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
const named = (text: string, pattern: RegExp): string[] => [...new Set(text.match(pattern) ?? [])].sort();

test('the page of the node agent has every flag and invents none', () => {
  const flags = /--[a-z][a-z-]+/g;
  assert.deepEqual(named(section('Flags'), flags), named(HELP, flags));
});

test('the page of the node agent has every metric and invents none', async () => {
  const { registry } = createAgentMetrics().kube;
  const names = (await registry.getMetricsAsJSON()).map(({ name }) => name);
  const ours = names.filter(name => name.startsWith('tart_kubelet_')).sort();
  assert.deepEqual(named(page, /tart_kubelet_\w+/g), ours);
});

test('the page of the node agent has every condition of the Node', () => {
  for (const condition of OWN_CONDITIONS) assert.ok(section('Node conditions').includes(`\`${condition}\``));
});
