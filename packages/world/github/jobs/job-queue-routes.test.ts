import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleGithub } from '../testing/example-github.ts';

test('jobs: curl queues a job, and a second call shows the runner that took it', async t => {
  const { github } = await exampleGithub(t);
  const desk = `${github.url}/_world/jobs`;
  const list = async (): Promise<string> => (await fetch(desk)).text();
  assert.equal(await list(), 'no jobs\n');
  const body = JSON.stringify({ repository: 'acme/app', labels: ['macos'], script: 'true' });
  assert.match(await (await fetch(desk, { method: 'POST', body })).text(), /^job \d+ queued for macos\n$/);
  assert.match(await list(), /^\d+ \S.*: queued, waiting for a runner with macos\n$/);
  const scope = github.state.accounts.findScope('acme');
  assert.ok(scope);
  const runner = github.state.runners.add({ scope, name: 'a', groupId: 1, labels: ['macos'], ephemeral: true });
  github.connect(runner.clientId).takeJob();
  assert.match(await list(), /: in_progress, runner a\n$/);
});

test('jobs: an invalid job is rejected with an example of the request', async t => {
  const { github } = await exampleGithub(t);
  for (const body of [
    '{}',
    '{"repository": "acme/none", "labels": ["a"]}',
    '{"repository": "acme/app", "labels": []}',
  ]) {
    const answer = await fetch(`${github.url}/_world/jobs`, { method: 'POST', body });
    assert.equal(answer.status, 422);
    assert.match(await answer.text(), /send \{\\"repository\\": \\"acme\/app\\"/);
  }
});
