import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { createAuthenticate } from './authenticate.ts';
import { createAuthorize, subresourcesOf, verbOf } from './authorize.ts';
import type { NodeAccess } from './reviews.ts';

const alice = { username: 'alice', groups: ['people'] };
const requestWith = (authorization?: string) =>
  ({ headers: { authorization }, socket: {} }) as unknown as IncomingMessage;

function authorizeForTests(rights: Set<string>) {
  const clock = fakeClock();
  const asked: NodeAccess[] = [];
  const reviews = {
    async isAllowed(_user: unknown, access: NodeAccess) {
      asked.push(access);
      return rights.has(`${access.verb} ${access.subresource}`);
    },
  };
  return { clock, asked, authorize: createAuthorize({ reviews, clock, node: 'mac-1' }) };
}

test('each kubelet server path requires its own node subresource, and other paths require proxy', () => {
  const table = {
    '/stats/summary': ['stats'],
    '/metrics': ['metrics'],
    '/metrics/resource': ['metrics'],
    '/logs/system.log': ['log'],
    '/pods': ['pods', 'proxy'],
    '/runningpods/': ['pods', 'proxy'],
    '/healthz/ping': ['healthz', 'proxy'],
    '/configz': ['configz', 'proxy'],
    '/exec/ns/pod/main': ['proxy'],
    '/containerLogs/ns/pod/main': ['proxy'],
    '/portForward/ns/pod': ['proxy'],
    '/metricsx': ['proxy'],
    '/podsx': ['proxy'],
    '/': ['proxy'],
  };
  for (const [path, expected] of Object.entries(table)) assert.deepEqual(subresourcesOf(path), expected, path);
  assert.deepEqual(['GET', 'POST', 'DELETE', 'TRACE'].map(verbOf), ['get', 'create', 'delete', '']);
});

test('any of the subresources of a path permits it, and proxy is reviewed last', async () => {
  const { authorize, asked } = authorizeForTests(new Set(['get proxy']));
  await authorize(alice, 'GET', '/pods');
  assert.deepEqual(
    asked.map(({ subresource }) => subresource),
    ['pods', 'proxy'],
  );
});

test('an unauthorized user gets the error message of a kubelet', async () => {
  const { authorize } = authorizeForTests(new Set(['get pods']));
  await assert.rejects(authorize(alice, 'POST', '/pods'), {
    status: 403,
    message: 'Forbidden (user=alice, verb=create, resource=nodes, subresource(s)=[pods proxy])\n',
  });
});

test('an authorization is cached for five minutes, a denial for thirty seconds, both per user', async () => {
  const rights = new Set(['get stats']);
  const { authorize, asked, clock } = authorizeForTests(rights);
  await authorize(alice, 'GET', '/stats/summary');
  rights.clear();
  await clock.advance(minutes(4));
  await authorize(alice, 'GET', '/stats/summary');
  assert.equal(asked.length, 1);
  const bob = { ...alice, username: 'bob' };
  await assert.rejects(authorize(bob, 'GET', '/stats/summary'), { status: 403 });
  rights.add('get stats');
  await assert.rejects(authorize(bob, 'GET', '/stats/summary'), { status: 403 });
  await clock.advance(seconds(30));
  await authorize(bob, 'GET', '/stats/summary');
});

test('the kubelet server authorizes no request while the API server is unavailable', async () => {
  const reviews = { isAllowed: () => Promise.reject(new Error('away')) };
  const authorize = createAuthorize({ reviews, clock: fakeClock(), node: 'mac-1' });
  await assert.rejects(authorize(alice, 'GET', '/metrics'), {
    status: 500,
    message: 'Authorization error (user=alice, verb=get, resource=nodes, subresource=metrics)',
  });
});

test('a token is reviewed once in two minutes, and a missing or unknown token has no user', async () => {
  const clock = fakeClock();
  let reviewed = 0;
  const review = async (token: string) => {
    reviewed += 1;
    return token === 'good' ? alice : undefined;
  };
  const authenticate = createAuthenticate({ reviews: { authenticate: review }, clock });
  assert.equal(await authenticate(requestWith()), undefined);
  assert.equal(await authenticate(requestWith('Basic good')), undefined);
  assert.equal(reviewed, 0);
  assert.equal(await authenticate(requestWith('Bearer good')), alice);
  assert.equal(await authenticate(requestWith('bearer good')), alice);
  assert.equal(await authenticate(requestWith('Bearer bad')), undefined);
  assert.equal(reviewed, 2);
  await clock.advance(minutes(2));
  await authenticate(requestWith('Bearer good'));
  assert.equal(reviewed, 3);
});
