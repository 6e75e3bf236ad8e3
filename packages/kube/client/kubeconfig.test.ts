import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { createCertificateAuthority } from '@minifleet/local-cluster/testing/pki';
import { stringify } from 'yaml';
import { createCredentials } from './credentials.ts';
import { inClusterSources } from './in-cluster.ts';
import { parseKubeconfig, readKubeconfig } from './kubeconfig.ts';

const directory = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
after(() => rmSync(directory, { recursive: true }));

const authority = createCertificateAuthority('test');
const alice = authority.issue({ commonName: 'alice', usages: ['client'] });
const bob = authority.issue({ commonName: 'bob', usages: ['client'] });
const base64 = (text: string): string => Buffer.from(text).toString('base64');

interface KubeconfigParts {
  cluster?: object;
  user?: object;
  context?: object;
  current?: string | null;
}

const good = { server: 'https://127.0.0.1:6443', 'certificate-authority-data': base64(authority.certificate) };
const aliceUser = { 'client-certificate-data': base64(alice.certificate), 'client-key-data': base64(alice.privateKey) };

function config({
  cluster = good,
  user = aliceUser,
  context = { cluster: 'c', user: 'u' },
  current = 'x',
}: KubeconfigParts): string {
  return stringify({
    ...(current === null ? {} : { 'current-context': current }),
    contexts: [{ name: 'x', context }],
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
  });
}

const parse = (parts: KubeconfigParts) => parseKubeconfig(config(parts), { path: 'k.yaml' });

describe('a kubeconfig that is wrong is refused with a sentence', () => {
  const wrong: readonly [string, () => unknown, RegExp][] = [
    [
      'a file that is not there',
      () => readKubeconfig('/no/such/file'),
      /no such file; set KUBECONFIG or pass --kubeconfig/,
    ],
    ['an empty file', () => parseKubeconfig('', { path: 'k.yaml' }), /k\.yaml: it is empty/],
    ['a file that is no YAML', () => parseKubeconfig('a: [', { path: 'k.yaml' }), /k\.yaml: it is no YAML/],
    [
      'no current context',
      () => parse({ current: null }),
      /no current-context; run 'kubectl config use-context NAME' \(contexts: x\)/,
    ],
    ['a context that is not there', () => parse({ current: 'prod' }), /there is no context "prod" \(contexts: x\)/],
    ['a context without a cluster', () => parse({ context: { user: 'u' } }), /context "x" names no cluster/],
    [
      'a cluster that is not there',
      () => parse({ context: { cluster: 'd' } }),
      /there is no cluster "d" \(clusters: c\)/,
    ],
    [
      'a user that is not there',
      () => parse({ context: { cluster: 'c', user: 'v' } }),
      /there is no user "v" \(users: u\)/,
    ],
    ['no server', () => parse({ cluster: {} }), /cluster "c" has no server; write server: https:\/\/HOST:PORT/],
    ['a server that is no URL', () => parse({ cluster: { server: 'myhost' } }), /server "myhost", which is no URL/],
    [
      'a server without TLS',
      () => parse({ cluster: { server: 'http://myhost' } }),
      /server "http:\/\/myhost"; write https:/,
    ],
    [
      'an authority that is no certificate',
      () => parse({ cluster: { ...good, 'certificate-authority-data': base64('junk') } }),
      /certificate-authority is no PEM certificate/,
    ],
    [
      'a file that is named and not there',
      () => parse({ user: { 'client-certificate': 'a.crt', 'client-key': 'a.key' } }),
      /it names the file .*a\.crt, which does not exist/,
    ],
    [
      'a certificate without its key',
      () => parse({ user: { ...aliceUser, 'client-key-data': '' } }),
      /without client-key; add/,
    ],
    [
      'a key without its certificate',
      () => parse({ user: { ...aliceUser, 'client-certificate-data': '' } }),
      /without client-certificate; add/,
    ],
    [
      'a key of another certificate',
      () => parse({ user: { ...aliceUser, 'client-key-data': base64(bob.privateKey) } }),
      /client-certificate and client-key do not fit together/,
    ],
    [
      'a removed auth-provider',
      () => parse({ user: { 'auth-provider': { name: 'gcp' } } }),
      /uses auth-provider, which Kubernetes removed/,
    ],
    [
      'a password',
      () => parse({ user: { username: 'admin', password: 'x' } }),
      /uses a password, which Kubernetes no longer accepts/,
    ],
    ['an exec plugin without a command', () => parse({ user: { exec: {} } }), /exec names no command/],
    [
      'no Pod and no kubeconfig',
      () => inClusterSources({}),
      /not running in a Pod .* set KUBECONFIG or pass --kubeconfig/,
    ],
  ];
  for (const [what, attempt, sentence] of wrong) test(what, () => assert.throws(attempt, sentence));
});

describe('a kubeconfig of somebody else, which must be self-contained', () => {
  const parseTheirs = (parts: KubeconfigParts) =>
    parseKubeconfig(config(parts), { path: 'k.yaml', selfContained: true });
  const outside: readonly [string, KubeconfigParts][] = [
    ['tokenFile', { user: { tokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token' } }],
    ['exec', { user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'touch' } } }],
    ['client-certificate', { user: { 'client-certificate': '/dev/zero', 'client-key': '/dev/zero' } }],
    ['certificate-authority', { cluster: { ...good, 'certificate-authority': '/dev/zero' } }],
  ];
  for (const [what, parts] of outside) {
    test(`${what} in a self-contained kubeconfig is rejected before it is read or run`, () => {
      assert.throws(() => parseTheirs(parts), new RegExp(`it uses ${what}; write the data itself`));
    });
  }

  test('one with data and a token is taken', () => {
    assert.equal(parseTheirs({ user: { token: 'abc' } }).server.host, '127.0.0.1:6443');
  });
});

describe('credentials', () => {
  test('a good kubeconfig gives server, authority and identity', async () => {
    const credentials = createCredentials(
      parse({ context: { cluster: 'c', user: 'u', namespace: 'macs' } }),
      fakeClock(),
    );
    const tls = await credentials.tls();
    assert.equal(credentials.server.href, 'https://127.0.0.1:6443/');
    assert.equal(credentials.namespace, 'macs');
    assert.equal(String(tls.cert), alice.certificate);
    assert.equal(await credentials.authorization(), undefined);
  });

  test('another context can be chosen', () => {
    assert.throws(() => parseKubeconfig(config({}), { path: 'k.yaml', context: 'y' }), /no context "y"/);
  });

  test('a rotated token file is read again', async () => {
    const clock = fakeClock();
    const path = join(directory, 'kubeconfig');
    writeFileSync(path, config({ user: { tokenFile: 'token' } }));
    writeFileSync(join(directory, 'token'), 'first\n');
    const credentials = createCredentials(readKubeconfig(path), clock);
    assert.equal(await credentials.authorization(), 'Bearer first');
    writeFileSync(join(directory, 'token'), 'second\n');
    assert.equal(await credentials.authorization(), 'Bearer first', 'not on every request');
    await clock.advance(minutes(1));
    assert.equal(await credentials.authorization(), 'Bearer second');
  });

  test('an exec plugin is asked once until its token ends', async () => {
    const clock = fakeClock();
    const asked = join(directory, 'asked');
    const expirationTimestamp = new Date(clock.now() + minutes(10)).toISOString();
    const credential = JSON.stringify({ kind: 'ExecCredential', status: { token: 'secret', expirationTimestamp } });
    const exec = { command: 'sh', args: ['-c', `echo x >> ${asked}; printf '%s' '${credential}'`] };
    const sources = parseKubeconfig(config({ user: { exec } }), {
      path: 'k.yaml',
      environment: { PATH: '/usr/bin:/bin' },
    });
    const credentials = createCredentials(sources, clock);
    assert.deepEqual(await Promise.all([credentials.authorization(), credentials.authorization()]), [
      'Bearer secret',
      'Bearer secret',
    ]);
    assert.equal((await import('node:fs')).readFileSync(asked, 'utf8'), 'x\n');
  });

  test('an exec plugin that is not installed is named with its hint', async () => {
    const exec = { command: 'no-such-login', installHint: 'Install it with: brew install no-such-login' };
    const credentials = createCredentials(parse({ user: { exec } }), fakeClock());
    await assert.rejects(
      credentials.authorization(),
      /"no-such-login" failed: it is not installed\. Install it with: brew/,
    );
  });
});
