import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { minutes } from '@minifleet/clock';
import { eventually, fakeClock } from '@minifleet/clock/testing';
import { APP_ID, appPem, benchFor, type GithubBench, INSTALLATION_ID, secretFields } from './testing/github-bench.ts';

const mints = ({ requests }: GithubBench): number =>
  requests().filter(request => request.endsWith('/access_tokens 201')).length;

test('concurrent GitHub calls share one installation token', async t => {
  const bench = await benchFor(t);
  await Promise.all(Array.from({ length: 8 }, () => bench.forge.runners()));
  assert.equal(mints(bench), 1);
});

test('an installation token is renewed before it expires', async t => {
  const bench = await benchFor(t);
  await bench.forge.runners();
  await bench.clock.advance(minutes(50));
  await bench.forge.runners();
  assert.equal(mints(bench), 1);
  // The forge’s clock is an hour ahead of the one that signs by then.
  await bench.clock.advance(minutes(9));
  await bench.forge.runners();
  assert.equal(mints(bench), 2);
  assert.ok(!bench.requests().includes('GET /orgs/acme/actions/runners 401'));
});

test('a clock two hours off requests no extra installation tokens', async t => {
  const bench = await benchFor(t);
  for (const wrong of [minutes(-120), minutes(120)]) {
    const forge = await bench.open({ clock: fakeClock({ now: bench.clock.now() + wrong }) });
    const before = mints(bench);
    await forge.runners();
    await forge.runners();
    assert.equal(mints(bench) - before, 1);
  }
});

test('a revoked installation token is replaced', async t => {
  const bench = await benchFor(t);
  await bench.forge.runners();
  for (const token of bench.secrets()) bench.github.state.tokens.revoke(token);
  assert.deepEqual(await bench.forge.runners(), []);
  assert.equal(mints(bench), 2);
});

test('a token that has not propagated yet is not a permission error', async t => {
  const { forge, faults } = await benchFor(t);
  faults.add({ detail: /GET .*runners$/, fault: { type: 'fail', code: 401, message: 'Bad credentials' } });
  await assert.rejects(forge.runners(), {
    code: 'FORGE_UNAVAILABLE',
    message: /rejected the token that it has just issued/,
  });
  faults.clear();
  assert.deepEqual(await forge.runners(), []);
});

test('an aborted caller does not affect others waiting for the same token', async t => {
  const { forge, faults, clock, journal } = await benchFor(t);
  faults.add({ detail: /access_tokens$/, times: 1, fault: { type: 'delay', by: minutes(0.05) } });
  const giveUp = new AbortController();
  const [given, waiting] = [forge.runners({ signal: giveUp.signal }), forge.runners()];
  await eventually(() => journal.entries.some(({ what }) => what === 'fault delay'));
  giveUp.abort(new Error('enough'));
  await assert.rejects(given, /enough/);
  await clock.advance(minutes(0.05));
  assert.deepEqual(await waiting, []);
});

test('a PKCS#8 key and an Enterprise Server URL are accepted', async t => {
  const { open, github } = await benchFor(t);
  const fields = secretFields({ 'private-key': appPem('pkcs8') });
  for (const apiUrl of [github.url, `${github.url}/api/v3/`]) {
    const forge = await open({ apiUrl }, { fields });
    assert.deepEqual(await forge.runners(), []);
    assert.equal(forge.url, `${github.url}/acme`);
  }
});

const strangeKey = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();

const wrong: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  'key of another App': () => ({ 'private-key': strangeKey() }),
  'App that is not there': () => ({ 'app-id': '43' }),
  'installation that is not there': () => ({ 'installation-id': '1' }),
};

for (const [what, said] of Object.entries(wrong)) {
  test(`a Secret with the ${what} is rejected with the field to check, without its value`, async t => {
    const { open } = await benchFor(t);
    const forge = await open({}, { fields: secretFields(said()) });
    await assert.rejects(forge.registrationToken(), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'FORGE_REFUSED', error.message);
      assert.match(error.message, /app-id, installation-id and private-key/);
      // Nor the signed words that the App showed: they begin like this.
      assert.doesNotMatch(inspect(error, { depth: 10, showHidden: true }), /eyJ|PRIVATE KEY|ghs_/);
      return true;
    });
  });
}

test('an App without write permission is rejected with the missing permission', async t => {
  const permissions = { organization_self_hosted_runners: 'read' } as const;
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const installations = [{ id: INSTALLATION_ID, account: 'acme', permissions }];
  const { open } = await benchFor(t, { apps: [{ id: APP_ID, key: publicKey, installations }] });
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const forge = await open({}, { fields: secretFields({ 'private-key': pem }) });
  await forge.runners();
  await assert.rejects(forge.registrationToken(), {
    code: 'FORGE_REFUSED',
    message: /acme \(Resource not accessible by integration\); .*Organization → Self-hosted runners: read and write/,
  });
});

test('an organisation without the App, or a missing one, is an error and not an empty list', async t => {
  const { open } = await benchFor(t);
  for (const account of ['other', 'nowhere']) {
    const forge = await open({}, { account });
    for (const asking of [forge.runners(), forge.runner('mini-01'), forge.remove(1)]) {
      await assert.rejects(asking, { code: 'FORGE_REFUSED', message: new RegExp(`for ${account}`) });
    }
  }
});

test('a suspended installation is rejected, also with an earlier token', async t => {
  const { forge, github } = await benchFor(t);
  await forge.runners();
  const installation = github.state.apps[0]?.installations[0];
  assert.ok(installation);
  installation.suspended = true;
  await assert.rejects(forge.runners(), { code: 'FORGE_REFUSED', message: /suspended/ });
});
