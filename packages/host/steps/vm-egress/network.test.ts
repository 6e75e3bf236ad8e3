import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EgressNetwork, liesWithin, parseNetwork } from './egress-spec.ts';

const network = (text: string): EgressNetwork => {
  const parsed = parseNetwork(text);
  assert.ok(!('problem' in parsed), text);
  return parsed;
};

test('networks and addresses of both families have pf’s notation', () => {
  const shown = ['10.0.0.0/8', '10.96.0.10', '10.96.0.10/32', '0.0.0.0/0', 'FC00:0:0::/7', 'fd12:3456::1/128', '::/0'];
  assert.deepEqual(
    shown.map(text => network(text).text),
    ['10.0.0.0/8', '10.96.0.10', '10.96.0.10', '0.0.0.0/0', 'fc00::/7', 'fd12:3456::1', '::/0'],
  );
});

test('networks that pf would complete, truncate or resolve are rejected', () => {
  const wrong = ['', '10/8', '10.0.0.0/33', '10.0.0.1/8', '10.0.0.0/08', '10.0.0.0/8/8', '010.0.0.0/8', '10.0.0.0/-1'];
  const rest = [
    'fc00::1/7',
    'fc00::/129',
    'fe80::1%en0',
    '::ffff:10.0.0.1',
    'example.com',
    '10.0.0.0/8 }',
    '10.0.0.0/8\n',
  ];
  for (const text of [...wrong, ...rest]) assert.ok('problem' in parseNetwork(text), text);
});

test('a network is contained only in a wider one of its family', () => {
  const within = (inner: string, outer: string): boolean => liesWithin(network(inner), network(outer));
  assert.deepEqual([within('192.168.64.0/22', '192.168.0.0/16'), within('fd00::/64', 'fc00::/7')], [true, true]);
  assert.deepEqual([within('192.168.0.0/16', '192.168.0.0/16'), within('10.0.0.0/8', '::/0')], [false, false]);
  assert.equal(within('193.0.0.0/16', '192.0.0.0/8'), false);
});
