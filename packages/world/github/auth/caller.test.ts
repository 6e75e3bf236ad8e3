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

test('auth: an installation token is valid for an hour and can be revoked earlier', async t => {
  const { github, clock } = await exampleGithub(t);
  const { apps } = appClient(github).rest;
  const { data } = await apps.createInstallationAccessToken({ installation_id: INSTALLATION_ID });
  assert.match(data.token, /^ghs_42_eyJ[\w-]+\.eyJ[\w-]+\.[\w-]{342}$/);
  assert.ok(data.token.length > 500 && data.token.length < 560, `${data.token.length} characters`);
  assert.equal(await mint(github.url, data.token), 201);
  await clock.advance(minutes(59));
  assert.equal(await mint(github.url, data.token), 201);
  await clock.advance(minutes(1));
  assert.equal(await mint(github.url, data.token), 401);
});

test('auth: installation tokens can have the short form of earlier years', async t => {
  const { github } = await exampleGithub(t, { behaviour: { installationToken: 'short' } });
  const { data } = await appClient(github).rest.apps.createInstallationAccessToken({
    installation_id: INSTALLATION_ID,
  });
  assert.match(data.token, /^ghs_\w{36}$/);
  assert.equal(await mint(github.url, data.token), 201);
});

test('auth: without the permission for self-hosted runners the resource is not accessible', async t => {
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

test('auth: an installation reaches only its own organization', async t => {
  const { github } = await exampleGithub(t);
  const { actions } = installationClient(github).rest;
  await assert.rejects(actions.listSelfHostedRunnersForOrg({ org: 'other' }), { status: 403 });
  await assert.rejects(actions.listSelfHostedRunnersForOrg({ org: 'nowhere' }), { status: 404 });
});

test('auth: a suspended installation is rejected even with a token minted before', async t => {
  const { github } = await exampleGithub(t);
  const { actions } = installationClient(github).rest;
  await actions.listSelfHostedRunnersForOrg({ org: 'acme' });
  const installation = github.state.apps[0]?.installations[0];
  assert.ok(installation);
  installation.suspended = true;
  await assert.rejects(actions.listSelfHostedRunnersForOrg({ org: 'acme' }), { status: 403, message: /suspended/ });
});

test('auth: a client with a wrong clock corrects itself by the Date header', async t => {
  const { github } = await exampleGithub(t, { clock: fakeClock({ now: Date.now() + minutes(45) }) });
  const { data } = await appClient(github).rest.apps.getAuthenticated();
  assert.equal(data?.id, APP_ID);
});

test('auth: missing and invented tokens are rejected', async t => {
  const { github } = await exampleGithub(t);
  const status = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(`${github.url}/orgs/acme/actions/runners`, { headers })).status;
  assert.equal(await status({}), 401);
  assert.equal(await status({ authorization: 'Bearer ghs_made_up' }), 401);
  assert.equal(await status({ authorization: 'Basic eDp5' }), 401);
  assert.equal(await status({ 'x-github-api-version': '2021-01-01' }), 400);
  assert.equal(await status({ 'user-agent': '' }), 403);
});
