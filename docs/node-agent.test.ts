import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { OWN_CONDITIONS } from '@minifleet/tart-kubelet/testing/node';

const page = readFileSync(new URL('./node-agent.md', import.meta.url), 'utf8');
const section = (title: string): string => page.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

test('docs/node-agent.md lists every Node condition of the agent', () => {
  for (const condition of OWN_CONDITIONS) assert.ok(section('Node conditions').includes(`\`${condition}\``));
});
