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
    ['a missing file', () => readKubeconfig('/no/such/file'), /no such file; set KUBECONFIG or pass --kubeconfig/],
    ['an empty file', () => parseKubeconfig('', { path: 'k.yaml' }), /k\.yaml: the file is empty/],
    ['a file that is not YAML', () => parseKubeconfig('a: [', { path: 'k.yaml' }), /k\.yaml: invalid YAML/],
    [
      'a missing current context',
      () => parse({ current: null }),
      /no current-context; run 'kubectl config use-context NAME' \(contexts: x\)/,
    ],
    ['a missing context', () => parse({ current: 'prod' }), /context "prod" not found \(contexts: x\)/],
    ['a context without a cluster', () => parse({ context: { user: 'u' } }), /context "x" has no cluster/],
    ['a missing cluster', () => parse({ context: { cluster: 'd' } }), /cluster "d" not found \(clusters: c\)/],
    ['a missing user', () => parse({ context: { cluster: 'c', user: 'v' } }), /user "v" not found \(users: u\)/],
    [
      'a cluster without a server',
      () => parse({ cluster: {} }),
      /cluster "c" has no server; set server: https:\/\/HOST:PORT/,
    ],
    ['a server that is not a URL', () => parse({ cluster: { server: 'myhost' } }), /invalid server URL "myhost"/],
    [
      'a server without TLS',
      () => parse({ cluster: { server: 'http://myhost' } }),
      /server URL without TLS "http:\/\/myhost"; use https:/,
    ],
    [
      'a certificate authority that is not PEM',
      () => parse({ cluster: { ...good, 'certificate-authority-data': base64('junk') } }),
      /certificate-authority is not a PEM certificate/,
    ],
    [
      'a reference to a missing file',
      () => parse({ user: { 'client-certificate': 'a.crt', 'client-key': 'a.key' } }),
      /file .*a\.crt does not exist/,
    ],
    [
      'a client certificate without its key',
      () => parse({ user: { ...aliceUser, 'client-key-data': '' } }),
      /without client-key; add/,
    ],
    [
      'a client key without its certificate',
      () => parse({ user: { ...aliceUser, 'client-certificate-data': '' } }),
      /without client-certificate; add/,
    ],
    [
      'a client key of another certificate',
      () => parse({ user: { ...aliceUser, 'client-key-data': base64(bob.privateKey) } }),
      /client-certificate and client-key do not match/,
    ],
    [
      'a removed auth-provider',
      () => parse({ user: { 'auth-provider': { name: 'gcp' } } }),
      /uses auth-provider, which Kubernetes removed/,
    ],
    [
      'a user with a password',
      () => parse({ user: { username: 'admin', password: 'x' } }),
      /uses a password, which Kubernetes no longer accepts/,
    ],
    ['an exec plugin without a command', () => parse({ user: { exec: {} } }), /exec has no command/],
    [
      'a process outside a Pod without a file',
      () => inClusterSources({}),
      /not running in a Pod .* set KUBECONFIG or pass --kubeconfig/,
    ],
  ];
  for (const [what, attempt, sentence] of wrong)
    test(`kubeconfig: ${what} is rejected with a message`, () => assert.throws(attempt, sentence));
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
      assert.throws(() => parseTheirs(parts), new RegExp(`${what} is not allowed here`));
    });
  }

  test('a self-contained kubeconfig with data and a token is accepted', () => {
    assert.equal(parseTheirs({ user: { token: 'abc' } }).server.host, '127.0.0.1:6443');
  });
});

describe('credentials', () => {
  test('a valid kubeconfig yields server, namespace and client certificate', async () => {
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

  test('an unknown context in the options is rejected', () => {
    assert.throws(() => parseKubeconfig(config({}), { path: 'k.yaml', context: 'y' }), /context "y" not found/);
  });

  test('a rotated token file is read again after a minute', async () => {
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

  test('an exec plugin runs once until its token expires', async () => {
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

  test('an exec plugin that is not installed is reported with its install hint', async () => {
    const exec = { command: 'no-such-login', installHint: 'Install it with: brew install no-such-login' };
    const credentials = createCredentials(parse({ user: { exec } }), fakeClock());
    await assert.rejects(credentials.authorization(), /"no-such-login" failed: not installed\. Install it with: brew/);
  });
});
