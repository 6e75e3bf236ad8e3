import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guestKey, guestName, parseGuestName } from './guest-name.ts';

const uid = '0f6e1c5e-3a55-4b1d-9c0e-0123456789ab';

test('a guest’s name contains Pod UID and attempt, and parses back', () => {
  assert.equal(guestName({ uid, attempt: 3 }), `pod-${uid}-3`);
  assert.deepEqual(parseGuestName(`pod-${uid}-3`), { uid, attempt: 3 });
});

for (const name of [
  'sonoma-base',
  'pod-web-0',
  `pod-${uid}`,
  `pod-${uid}-`,
  `pod-${uid}-01`,
  `pod-${uid}-1-copy`,
  `my-pod-${uid}-1`,
  `POD-${uid}-1`,
  `pod-${uid.toUpperCase()}-1`,
  `pod-${uid}-1\n`,
  'tart-kubelet-golden',
]) {
  test(`I28 a VM named ${JSON.stringify(name)} is foreign`, () => assert.equal(parseGuestName(name), undefined));
}

test('a guest key that would not parse back is rejected', () => {
  assert.throws(() => guestKey({ uid: '../../etc', attempt: 0 }), /invalid guest key/);
  assert.throws(() => guestKey({ uid, attempt: -1 }), /invalid guest key/);
});
