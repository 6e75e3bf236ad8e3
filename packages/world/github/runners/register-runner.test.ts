import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { installationClient } from '../testing/clients.ts';
import { type ExampleGithub, exampleGithub } from '../testing/example-github.ts';

const URL = 'https://github.com/acme';

async function withToken(t: TestContext): Promise<ExampleGithub & { readonly token: string }> {
  const forge = await exampleGithub(t);
  const { data } = await installationClient(forge.github).rest.actions.createRegistrationTokenForOrg({ org: 'acme' });
  return { ...forge, token: data.token };
}

test('registration: a runner gets the default labels of a Mac and its own', async t => {
  const { github, token } = await withToken(t);
  const { runner, files } = github.registerRunner({ url: `${URL}/`, token, name: 'builder', labels: ['bake'] });
  assert.deepEqual(
    runner.labels.map(label => label.name),
    ['self-hosted', 'macOS', 'ARM64', 'bake'],
  );
  assert.deepEqual(Object.keys(files), ['.runner', '.credentials', '.credentials_rsaparams']);
  assert.ok(github.connect(runner.clientId).open);
});

test('I27 an expired registration token gives the error that config.sh prints, without the token', async t => {
  const { github, clock, token } = await withToken(t);
  await clock.advance(minutes(60));
  assert.throws(
    () => github.registerRunner({ url: URL, token, name: 'builder' }),
    (error: Error) => {
      assert.match(
        error.message,
        /^Http response code: NotFound from 'POST https:\/\/api\.github\.com\/actions\/runner-registration' \(Request Id: [0-9A-F:]+\)\n\{"message":"Not Found".*\nResponse status code does not indicate success: 404 \(Not Found\)\.$/,
      );
      assert.ok(!error.message.includes(token));
      return true;
    },
  );
});

test('registration: a token is valid for its organization, and a removal token only for removal', async t => {
  const { github, token } = await withToken(t);
  const notFound = { message: /^Http response code: NotFound/ };
  assert.throws(() => github.registerRunner({ url: 'https://github.com/other', token, name: 'x' }), notFound);
  assert.throws(() => github.registerRunner({ url: 'https://github.com/acme/app', token, name: 'x' }), notFound);
  assert.throws(() => github.unregisterRunner({ url: URL, token, name: 'x' }), notFound);
});

test('registration: a taken name is rejected without --replace, which invalidates the old credentials', async t => {
  const { github, token } = await withToken(t);
  const old = github.registerRunner({ url: URL, token, name: 'builder' }).runner;
  assert.throws(() => github.registerRunner({ url: URL, token, name: 'Builder' }), {
    message: /Pool 1 already contains a runner with name Builder\.$/,
  });
  const { runner } = github.registerRunner({ url: URL, token, name: 'builder', replace: true });
  assert.equal(runner.id, old.id);
  assert.throws(() => github.connect(old.clientId), { message: /registration has been deleted/ });
});

test('registration: config.sh remove deletes a runner, and succeeds if it is already gone', async t => {
  const { github, token } = await withToken(t);
  github.registerRunner({ url: URL, token, name: 'builder' });
  const { data } = await installationClient(github).rest.actions.createRemoveTokenForOrg({ org: 'acme' });
  assert.equal(github.unregisterRunner({ url: URL, token: data.token, name: 'builder' }), true);
  assert.equal(github.unregisterRunner({ url: URL, token: data.token, name: 'builder' }), false);
});

test('registration: the token exchange returns the service URL, or 404 for every error', async t => {
  const { github, token } = await withToken(t);
  const exchange = (bearer: string): Promise<Response> =>
    fetch(`${github.url}/actions/runner-registration`, {
      method: 'POST',
      headers: { authorization: `RemoteAuth ${bearer}` },
      body: JSON.stringify({ url: URL, runner_event: 'register' }),
    });
  const given = (await (await exchange(token)).json()) as { url: string; token: string };
  assert.match(given.url, /_world\/actions\/1000\/$/);
  assert.equal(given.token.split('.').length, 3);
  assert.equal((await exchange('made-up')).status, 404);
});

test('registration: a runner below version 2.329.0 is refused with 404 and its own words', async t => {
  const { github, token } = await withToken(t);
  assert.throws(() => github.registerRunner({ url: URL, token, name: 'old', version: '2.328.0' }), {
    status: 404,
    message:
      /"message":"Your runner version is out of date and can no longer register with GitHub\."[\s\S]*404 \(Not Found\)\.$/,
  });
  const { runner } = github.registerRunner({ url: URL, token, name: 'new', version: '2.329.0' });
  assert.equal(runner.version, '2.329.0');
});
