import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkAgentRoute, isForwarded, judgeForwarding } from './agent-route.ts';

const unreached = (why: string) => ({ code: 503, kind: 'Status', message: `error trying to reach service: ${why}` });

describe('route from the API server to the node agent', () => {
  for (const [message, kind] of [
    ['dial tcp 192.0.2.11:10250: connect: connection refused', 'open'],
    ['EOF', 'open'],
    ['read tcp 192.0.2.1:40812->192.0.2.11:10250: read: connection reset by peer', 'open'],
    ['read tcp 192.0.2.1:40812->192.0.2.11:10250: i/o timeout', 'open'],
    ['remote error: tls: certificate required', 'open'],
    ['net/http: TLS handshake timeout', 'open'],
    ['tls: first record does not look like a TLS handshake', 'open'],
    ['http: server gave HTTP response to HTTPS client', 'open'],
    ['dial tcp 192.0.2.11:10250: connect: no route to host', 'closed'],
    ['dial tcp 192.0.2.11:10250: connect: network is unreachable', 'closed'],
    ['dial tcp 192.0.2.11:10250: connect: host is down', 'closed'],
    ['dial tcp 192.0.2.11:10250: connect: connection timed out', 'closed'],
    ['dial tcp 192.0.2.11:10250: i/o timeout', 'closed'],
    ['dial tcp 192.0.2.11:10250: connect: operation not permitted', 'closed'],
    ['context deadline exceeded', 'closed'],
    ['dial timeout, backstop', 'closed'],
    ['proxyconnect tcp: dial tcp 192.0.2.9:3128: connect: connection refused', 'unknown'],
    ['No agent available', 'unknown'],
  ] as const) {
    test(`an API server that reports "${message}" shows that the route is ${kind}`, () => {
      assert.equal(judgeForwarding(unreached(message)).kind, kind);
    });
  }

  for (const [what, response, kind] of [
    ['a response of a kubelet', { code: 401, message: 'Unauthorized' }, 'open'],
    ['a response without an error', { code: 200, message: '' }, 'open'],
    ['a missing permission', { code: 403, kind: 'Status', message: 'pods "a" is forbidden' }, 'unknown'],
    ['an address that is not allowed', { code: 400, kind: 'Status', message: 'address not allowed' }, 'unknown'],
    ['an internal error', { code: 500, kind: 'Status', message: 'unknown' }, 'unknown'],
  ] as const) {
    test(`${what} shows that the route is ${kind}`, () => {
      assert.equal(judgeForwarding(response).kind, kind);
    });
  }

  test('a closed route is a problem that names the port, the impact and the next action', () => {
    const { state, message, impact, fix } = checkAgentRoute('2001:db8::1', { kind: 'closed', why: 'no route to host' });
    assert.equal(state, 'problem');
    assert.equal(message, 'the API server cannot reach [2001:db8::1]:10250 (no route to host)');
    assert.match(impact ?? '', /kubectl logs, exec and port-forward/);
    assert.match(fix ?? '', /^allow TCP 10250 from the API server to the Mac/);
  });

  test('an API server forwards to private and public addresses, and not to loopback and link-local ones', () => {
    const yes = ['192.0.2.11', '10.0.0.1', '192.168.1.2', '2001:db8::1', 'fd00::1'];
    const no = ['127.0.0.1', '127.8.0.1', '169.254.3.4', '0.0.0.0', '255.255.255.255', '::1', 'fe80::1', 'ff02::1'];
    assert.deepEqual([yes.filter(isForwarded), no.filter(isForwarded)], [yes, []]);
  });
});
