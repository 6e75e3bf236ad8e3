import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { Secret } from '@minifleet/secret';
import { planStep } from '../../engine/step.ts';
import type { TestHost } from '../../testing/index.ts';
import { agentJob } from './agent-job.ts';
import { agentHost, agentWant, asRoot, roll, runningAgent } from './testing/agent-host.ts';

const LOG = '/var/log/tart-kubelet.log';
const KEY = 'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0a1b'.repeat(3);

const failing = (lines: string): string => `exits with 1 prints: ${lines}`;

test('an agent with a corrupt kubeconfig is reported with the last lines of its log, without secrets', async () => {
  const given = agentHost();
  given.redactor.learn(new Secret('password', 'correct horse'));
  const lines = [
    'tart-kubelet: /etc/tart-kubelet/kubeconfig: invalid YAML at line 3',
    'token: abcdef.0123456789abcdef correct horse',
    `client-key-data: ${KEY}`,
  ];
  await assert.rejects(roll(given, failing(lines.join('\n'))), (error: Error) => {
    assert.match(error.message, /does not keep running \(the agent .*it exited with code 1; its log ends with: /);
    assert.match(
      error.message,
      /its log ends with: tart-kubelet: \/etc\/tart-kubelet\/kubeconfig: invalid YAML at line 3 \| token: \[not shown\] \[password\] \| client-key-data: \[not shown\]\)/,
    );
    assert.doesNotMatch(error.message, /another version/);
    return true;
  });
});

test('an inspection reports the cause of an agent that keeps exiting because of a wrong flag', async () => {
  const given = agentHost();
  const version = failing('tart-kubelet: unknown option --max-pod; valid options: see --help');
  await roll(given, version).catch(() => undefined);
  const found = await inspectAgent(given, version);
  assert.match(
    JSON.stringify(found),
    /it exited with code 1; its log ends with: tart-kubelet: unknown option --max-pod; valid options: see --help/,
  );
});

test('the lines of the agent’s log in a message are few, short, and without stack frames', async () => {
  const given = agentHost();
  const stack = ['Error: first cause', '    at main (agent.js:1:1)', '', 'Node.js v26.0.0'];
  const version = failing(['one', 'two', `long ${'line '.repeat(200)}`, ...stack].join('\n'));
  await assert.rejects(roll(given, version), ({ message }: Error) => {
    const shown = /its log ends with: (.*)\); there is/.exec(message)?.[1] ?? '';
    assert.match(shown, /^two \| long line .*… \| Error: first cause$/);
    assert.ok(shown.length < 300, shown);
    return true;
  });
});

test('an agent that macOS kills is reported without lines of an earlier run', async () => {
  const given = await runningAgent('version 1');
  await asRoot(given, `echo 'an old line' >> ${LOG}`);
  given.faults.add({
    kind: 'process',
    detail: /^launchd /,
    fault: { type: 'fail', code: 78, message: '' },
  });
  await asRoot(given, 'killall tart-kubelet');
  await given.clock.advance(seconds(60));
  const found = await inspectAgent(given, 'version 1');
  assert.match(JSON.stringify(found), /EX_CONFIG/);
  assert.doesNotMatch(JSON.stringify(found), /an old line/);
});

const inspectAgent = (given: TestHost, version: string) => planStep(agentJob, agentWant(version)).inspect(given.host);
