import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@minifleet/clock/testing';
import { installationClient } from './testing/clients.ts';
import { exampleGithub } from './testing/example-github.ts';
import { listen } from './testing/scale-set-client.ts';

test('github: closing leaves no timer and no connection, whatever is in progress', async t => {
  const { github, clock } = await exampleGithub(t);
  const { poll } = await listen(github);
  const { actions } = installationClient(github).rest;
  await actions.generateRunnerJitconfigForOrg({ org: 'acme', name: 'a', runner_group_id: 1, labels: ['x'] });
  github.queueJob({ repository: 'acme/app', labels: ['nowhere'] });
  const before = clock.pending;
  const open = assert.rejects(poll());
  await eventually(() => clock.pending > before);
  await github.close();
  await open;
  await clock.settle();
  assert.equal(clock.pending, 0);
  await assert.rejects(fetch(`${github.url}/rate_limit`));
});

test('github: the same seed and the same actions give the same journal', async t => {
  const acts = async (): Promise<string[]> => {
    const { github, journal } = await exampleGithub(t);
    const { actions } = installationClient(github).rest;
    for (const name of ['a', 'b', 'c']) {
      await actions.generateRunnerJitconfigForOrg({ org: 'acme', name, runner_group_id: 1, labels: ['macos'] });
    }
    for (const runner of github.state.runners.all) void github.connect(runner.clientId).nextJob();
    for (let count = 0; count < 3; count++) github.queueJob({ repository: 'acme/app', labels: ['macos'] });
    return journal.entries.map(({ what, detail }) => `${what} ${detail}`);
  };
  assert.deepEqual(await acts(), await acts());
});
