import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LABELS } from '../testing/contract/forge-bench.ts';
import { benchFor } from './testing/github-bench.ts';

test('all GitHub requests match the published API and the documented cost', async t => {
  // What differs from the description fails the closing of the bench.
  const { forge, group, requests } = await benchFor(t, { checkOpenApi: true });
  await forge.registrationToken();
  const { id } = await forge.singleJobRunner({ name: 'pod-1', labels: LABELS, group, workFolder: '_work' });
  await forge.runners();
  await forge.runner('pod-1');
  await forge.remove(id);
  await forge.remove(id);
  assert.deepEqual(requests(), [
    'POST /app/installations/4242/access_tokens 201',
    'POST /orgs/acme/actions/runners/registration-token 201',
    'GET /orgs/acme/actions/runner-groups 200',
    'POST /orgs/acme/actions/runners/generate-jitconfig 201',
    'GET /orgs/acme/actions/runners 200',
    'GET /orgs/acme/actions/runners 200',
    `DELETE /orgs/acme/actions/runners/${id} 204`,
    `DELETE /orgs/acme/actions/runners/${id} 404`,
    'GET /orgs/acme/actions/runners 200',
  ]);
});

test('runners on all pages are listed and found by name', async t => {
  const { forge, github, requests } = await benchFor(t);
  const scope = github.state.accounts.findScope('acme');
  assert.ok(scope);
  for (let number = 0; number < 230; number++) {
    github.state.runners.add({ scope, name: `mac-${number}`, groupId: 1, labels: ['a'], ephemeral: true });
  }
  const listed = await forge.runners();
  assert.equal(new Set(listed.map(({ name }) => name)).size, 230);
  assert.equal(requests().filter(request => request.startsWith('GET')).length, 3);
  assert.equal((await forge.runner('mac-229'))?.name, 'mac-229');
  assert.equal(requests().filter(request => request.startsWith('GET')).length, 4);
});

test('the older GitHub message for a busy runner is recognised', async t => {
  const { forge, faults } = await benchFor(t);
  const message = 'Runner "pod-1" is still running a job"';
  faults.add({ detail: /^DELETE/, fault: { type: 'fail', code: 422, message } });
  assert.equal(await forge.remove(1), 'busy');
});

test('another rejection of a removal is not treated as busy', async t => {
  const { forge, faults } = await benchFor(t);
  faults.add({ detail: /^DELETE/, fault: { type: 'fail', code: 422, message: 'Validation Failed' } });
  await assert.rejects(forge.remove(1), {
    code: 'FORGE_REJECTED',
    message: /acme \(Validation Failed\); retrying in 1m/,
  });
});
