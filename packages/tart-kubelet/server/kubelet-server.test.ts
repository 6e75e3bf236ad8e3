import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connect } from 'node:tls';
import { createCertificateAuthority } from '@minifleet/local-cluster/testing/pki';
import { exited, type LocalGuest, localGuest, running } from './testing/local-guest.ts';
import { type ServerForTests, startServerForTests } from './testing/server-for-tests.ts';

describe('the server of a kubelet', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'minifleet-kubelet-'));
  const guest: LocalGuest = localGuest({ name: 'pod', folder });
  let tested: ServerForTests;

  before(async () => {
    const rights = { scraper: ({ subresource }: { subresource: string }) => subresource === 'metrics' };
    tested = await startServerForTests({ guests: [guest], rights });
  });
  after(async () => {
    await tested.server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const anonymous = { cert: undefined, key: undefined };
  const bearing = (token: string) => ({ ...anonymous, headers: { authorization: `Bearer ${token}` } });
  const certified = (authority: ServerForTests['authority'], usage: 'client' | 'server') => {
    const { certificate, privateKey } = authority.issue({ commonName: 'someone', usages: [usage] });
    return { cert: certificate, key: privateKey };
  };

  test('missing or invalid credentials get 401 on every path', async () => {
    const strangers = {
      nothing: anonymous,
      'an unknown token': bearing('bad'),
      'a certificate of another authority': certified(createCertificateAuthority('cluster'), 'client'),
      'a certificate for servers': certified(tested.authority, 'server'),
    };
    for (const [what, options] of Object.entries(strangers)) {
      for (const where of ['/pods', '/healthz', '/no-such-path', '/exec/default/pod/main']) {
        const { status, body } = await tested.ask(where, options);
        assert.deepEqual([status, body], [401, 'Unauthorized'], `${what} at ${where}`);
      }
    }
    const upgrade = await tested.upgrade('/exec/default/pod/main?output=1', { upgrade: 'SPDY/3.1' });
    assert.equal(upgrade.status, 400, 'known, but without a protocol');
  });

  test('a token works like a certificate, each within its permissions', async () => {
    assert.equal((await tested.ask('/metrics', bearing('good'))).status, 200);
    const { status, body } = await tested.ask('/pods', bearing('good'));
    assert.deepEqual(
      [status, body],
      [403, 'Forbidden (user=scraper, verb=get, resource=nodes, subresource(s)=[pods proxy])\n'],
    );
    assert.equal((await tested.ask('/no-such-path', bearing('good'))).status, 403);
  });

  test('an authorized client gets 404 or 400 with kubelet’s message', async () => {
    const answers = {
      '/no-such-path': [404, /page not found/],
      '/containerLogs/default/none/main': [404, /^pod "none" does not exist$/],
      '/containerLogs/default/pod/other': [404, /^container "other" not found in pod "pod"$/],
      '/containerLogs/default/pod/main?tailLines=-1': [422, /Invalid request/],
      '/containerLogs/default/pod/main?tailLines=x': [400, /Unable to decode query/],
      '/containerLogs/default/pod/main?previous=true': [
        400,
        /previous terminated container "main" in pod "pod" not found/,
      ],
      '/exec/default/pod/main?output=1&command=ls': [400, /Upgrade request required/],
      '/containerLogs/default/%zz/main': [400, /invalid URL encoding/],
    } as const;
    for (const [where, [status, body]] of Object.entries(answers)) {
      const answer = await tested.ask(where);
      assert.equal(answer.status, status, where);
      assert.match(answer.body, body, where);
    }
    assert.equal((await tested.ask('/pods', { method: 'POST' })).status, 405);
  });

  test('a rejected upgrade is answered over HTTP with a message', async () => {
    const spdy = { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' };
    const refusals = [
      ['/exec/default/pod/main?command=ls', spdy, 400, /at least 1 of stdin, stdout, stderr/],
      ['/exec/default/pod/main?output=1', spdy, 400, /specify a command/],
      ['/exec/default/pod/another-uid/main?output=1&command=ls', spdy, 404, /does not exist/],
      ['/exec/default/pod/main?output=1&command=ls', { upgrade: 'h2c' }, 400, /Upgrade request required/],
      ['/exec/default/pod/main?output=1&command=ls', { ...spdy, 'x-stream-protocol-version': 'v9' }, 403, /none of v9/],
      ['/portForward/default/none', spdy, 404, /does not exist/],
      ['/pods', spdy, 400, /does not support upgrades/],
    ] as const;
    for (const [where, headers, status, body] of refusals) {
      const answer = await tested.upgrade(where, headers);
      assert.equal(answer.status, status, where);
      assert.match(answer.body, body);
    }
    const { headers } = await tested.upgrade('/exec/default/pod/main?output=1&command=ls', {
      ...spdy,
      'x-stream-protocol-version': 'v9',
    });
    assert.match(String(headers['x-accepted-stream-protocol-versions']), /v4\.channel\.k8s\.io/);
  });

  test('a client that offers HTTP/2 with every request gets an HTTP/1 answer', async () => {
    const { status, body } = await tested.ask('/healthz', { headers: { connection: 'Upgrade', upgrade: 'h2c' } });
    assert.deepEqual([status, body], [200, 'ok']);
  });

  test('a UID in the exec path is accepted if it matches the Pod', async () => {
    guest.say('hello');
    const spdy = { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v5.channel.k8s.io, v4.channel.k8s.io' };
    const { status, headers, socket } = await tested.upgrade(
      `/exec/default/pod/${guest.uid}/main?output=1&command=ls`,
      spdy,
    );
    assert.deepEqual([status, headers['x-stream-protocol-version']], [101, 'v4.channel.k8s.io']);
    socket?.destroy();
  });

  test('/runningpods/ lists only Pods whose guest runs', async () => {
    const names = async (where: string): Promise<string[]> =>
      JSON.parse((await tested.ask(where)).body).items.map((pod: { metadata: { name: string } }) => pod.metadata.name);
    assert.deepEqual([await names('/pods'), await names('/runningpods/')], [['pod'], ['pod']]);
    guest.become(exited);
    assert.deepEqual([await names('/pods'), await names('/runningpods/')], [['pod'], []]);
    guest.become(running);
  });

  test('a new serving certificate applies to the next connection', async () => {
    const served = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect(
          { host: '127.0.0.1', port: tested.server.port, ca: tested.authority.certificate },
          () => {
            resolve(socket.getPeerX509Certificate()?.serialNumber ?? '');
            socket.destroy();
          },
        );
        socket.once('error', reject);
      });
    const before = await served();
    assert.equal(await served(), before);
    tested.server.replaceCertificate(
      tested.authority.issue({ commonName: 'system:node:mac-1', addresses: ['127.0.0.1'], usages: ['server'] }),
    );
    assert.notEqual(await served(), before);
    assert.equal((await tested.ask('/healthz')).body, 'ok', 'and client certificates are still known');
  });
});
