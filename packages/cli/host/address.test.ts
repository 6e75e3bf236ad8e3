import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostPort, parseAddress } from './address.ts';

test('an address has a host and an optional port and user', () => {
  assert.deepEqual(parseAddress('203.0.113.7'), { user: undefined, host: '203.0.113.7', port: 22 });
  assert.deepEqual(parseAddress('mini-01.example:2222'), { user: undefined, host: 'mini-01.example', port: 2222 });
  assert.deepEqual(parseAddress('m1@mini-01'), { user: 'm1', host: 'mini-01', port: 22 });
});

test('an IPv6 address needs brackets only with a port', () => {
  assert.deepEqual(parseAddress('2001:db8::7'), { user: undefined, host: '2001:db8::7', port: 22 });
  assert.deepEqual(parseAddress('m1@[2001:db8::7]:2222'), { user: 'm1', host: '2001:db8::7', port: 2222 });
  assert.equal(hostPort({ host: '2001:db8::7', port: 22 }), '[2001:db8::7]:22');
});

for (const wrong of ['', '@mini', 'mini:', 'mini:0', 'mini:70000', 'mini:ssh', 'mini 01', '[::1', 'm1@']) {
  test(`the address ${JSON.stringify(wrong)} is refused with an example`, () => {
    assert.throws(() => parseAddress(wrong), /for example m1@203\.0\.113\.7:22/);
  });
}
