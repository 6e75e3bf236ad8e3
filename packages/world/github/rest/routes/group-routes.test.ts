import assert from 'node:assert/strict';
import { test } from 'node:test';
import { installationClient } from '../../testing/clients.ts';
import { exampleGithub } from '../../testing/example-github.ts';

test('groups: an organization has the group Default with id 1 and its own, each with its runners', async t => {
  const { github } = await exampleGithub(t, { checkOpenApi: true });
  const client = installationClient(github);
  const list = await client.request('GET /orgs/{org}/actions/runner-groups', { org: 'acme' });
  const groups = (list.data as { runner_groups: { id: number; name: string; visibility: string }[] }).runner_groups;
  assert.deepEqual(
    groups.map(group => `${group.id} ${group.name} ${group.visibility}`),
    ['1 Default all', '2 macs selected'],
  );
  await client.rest.actions.generateRunnerJitconfigForOrg({
    org: 'acme',
    name: 'a',
    runner_group_id: 2,
    labels: ['x'],
  });
  const path = 'GET /orgs/{org}/actions/runner-groups/{runner_group_id}/runners';
  const inGroup = await client.request(path, { org: 'acme', runner_group_id: 2 });
  assert.equal((inGroup.data as { total_count: number }).total_count, 1);
  await assert.rejects(client.request(path, { org: 'acme', runner_group_id: 3 }), { status: 404 });
  assert.deepEqual(github.deviations, []);
});

test('labels: custom labels are added, set and removed; read-only labels stay', async t => {
  const { github } = await exampleGithub(t, { checkOpenApi: true });
  const { actions } = installationClient(github).rest;
  const requested = { org: 'acme', name: 'a', runner_group_id: 1, labels: ['self-hosted', 'x'] };
  const { data } = await actions.generateRunnerJitconfigForOrg(requested);
  const runner = { org: 'acme', runner_id: data.runner.id };
  const names = (labels: readonly { name: string }[]): string => labels.map(label => label.name).join(' ');
  const added = await actions.addCustomLabelsToSelfHostedRunnerForOrg({ ...runner, labels: ['y', 'X'] });
  assert.equal(names(added.data.labels), 'self-hosted x y');
  const set = await actions.setCustomLabelsForSelfHostedRunnerForOrg({ ...runner, labels: ['z'] });
  assert.equal(names(set.data.labels), 'self-hosted z');
  const left = await actions.removeAllCustomLabelsFromSelfHostedRunnerForOrg(runner);
  assert.equal(names(left.data.labels), 'self-hosted');
  const listed = await actions.listLabelsForSelfHostedRunnerForOrg(runner);
  assert.equal(listed.data.total_count, 1);
  assert.deepEqual(github.deviations, []);
});
