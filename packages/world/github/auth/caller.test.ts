import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { appClient, installationClient } from '../testing/clients.ts';
import { APP_ID, appKeys, exampleGithub, INSTALLATION_ID } from '../testing/example-github.ts';

async function mint(url: string, token: string): Promise<number> {
  const response = await fetch(`${url}/orgs/acme/actions/runners/registration-token`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
  return response.status;
}

test('an installation token lives an hour, and can be given back before', async t => {
  const { github, clock } = await exampleGithub(t);
  const { apps } = appClient(github).rest;
  const { data } = await apps.createInstallationAccessToken({ installation_id: INSTALLATION_ID });
  assert.match(data.token, /^ghs_\w{36}$/);
  assert.equal(await mint(github.url, data.token), 201);
  await clock.advance(minutes(59));
  assert.equal(await mint(github.url, data.token), 201);
  await clock.advance(minutes(1));
  assert.equal(await mint(github.url, data.token), 401);
});

test('without the permission for self-hosted runners the resource is not accessible by the integration', async t => {
  const { github } = await exampleGithub(t, {
    apps: [
      {
        id: APP_ID,
        key: appKeys().publicKey,
        installations: [
          { id: INSTALLATION_ID, account: 'acme', permissions: { organization_self_hosted_runners: 'read' } },
        ],
      },
    ],
  });
  const { actions, apps } = installationClient(github).rest;
  await actions.listSelfHostedRunnersForOrg({ org: 'acme' });
  await assert.rejects(actions.createRegistrationTokenForOrg({ org: 'acme' }), {
    status: 403,
    message: /^Resource not accessible by integration/,
  });
  await assert.rejects(
    appClient(github).rest.apps.createInstallationAccessToken({
      installation_id: INSTALLATION_ID,
      permissions: { organization_self_hosted_runners: 'write' },
    }),
    { status: 422 },
  );
  await assert.rejects(apps.getInstallation({ installation_id: 1 }), { status: 404 });
});

test('an installation reaches its own organization only', async t => {
  const { github } = await exampleGithub(t);
  const { actions } = installationClient(github).rest;
  await assert.rejects(actions.listSelfHostedRunnersForOrg({ org: 'other' }), { status: 403 });
  await assert.rejects(actions.listSelfHostedRunnersForOrg({ org: 'nowhere' }), { status: 404 });
});

test('a suspended installation is refused even with a token minted before', async t => {
  const { github } = await exampleGithub(t);
  const { actions } = installationClient(github).rest;
  await actions.listSelfHostedRunnersForOrg({ org: 'acme' });
  const installation = github.state.apps[0]?.installations[0];
  assert.ok(installation);
  installation.suspended = true;
  await assert.rejects(actions.listSelfHostedRunnersForOrg({ org: 'acme' }), { status: 403, message: /suspended/ });
});

test('a client whose clock is wrong corrects itself by the Date header', async t => {
  const { github } = await exampleGithub(t, { clock: fakeClock({ now: Date.now() + minutes(45) }) });
  const { data } = await appClient(github).rest.apps.getAuthenticated();
  assert.equal(data?.id, APP_ID);
});

test('a stranger and a made-up token are turned away', async t => {
  const { github } = await exampleGithub(t);
  const status = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(`${github.url}/orgs/acme/actions/runners`, { headers })).status;
  assert.equal(await status({}), 401);
  assert.equal(await status({ authorization: 'Bearer ghs_made_up' }), 401);
  assert.equal(await status({ authorization: 'Basic eDp5' }), 401);
  assert.equal(await status({ 'x-github-api-version': '2021-01-01' }), 400);
  assert.equal(await status({ 'user-agent': '' }), 403);
});
