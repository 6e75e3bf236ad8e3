import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleGithub } from '../testing/example-github.ts';

test('a job is queued with a line of curl, and a second one shows who took it', async t => {
  const { github } = await exampleGithub(t);
  const desk = `${github.url}/_world/jobs`;
  const list = async (): Promise<string> => (await fetch(desk)).text();
  assert.equal(await list(), 'no job yet\n');
  const body = JSON.stringify({ repository: 'acme/app', labels: ['macos'], script: 'true' });
  assert.match(await (await fetch(desk, { method: 'POST', body })).text(), /^job \d+ is queued for macos\n$/);
  assert.match(await list(), /^\d+ \S.*: queued, waits for macos\n$/);
  const scope = github.state.accounts.findScope('acme');
  assert.ok(scope);
  const runner = github.state.runners.add({ scope, name: 'a', groupId: 1, labels: ['macos'], ephemeral: true });
  github.connect(runner.clientId).takeJob();
  assert.match(await list(), /: in_progress, by a\n$/);
});

test('a job that nobody could run is refused with what to send', async t => {
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
