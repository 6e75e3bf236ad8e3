import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signMachO } from './sign-mach-o.ts';
import { smallMachO } from './testing/small-mach-o.ts';
import { verifyMachO } from './verify-mach-o.ts';

const IDENTIFIER = 'dev.tuist.tart-kubelet';

test('a signed file is ad-hoc signed, names what it is, and every page is as signed', () => {
  const verdict = verifyMachO(signMachO(smallMachO(), IDENTIFIER));
  assert.deepEqual(verdict, { identifier: IDENTIFIER, adhoc: true, pages: 4, problems: [] });
});

test('signing again replaces the signature: the same bytes', () => {
  const once = signMachO(smallMachO(), IDENTIFIER);
  assert.ok(signMachO(once, IDENTIFIER).equals(once));
  assert.ok(
    verifyMachO(signMachO(signMachO(smallMachO(), 'a-much-longer-name'.repeat(9)), 'short')).problems.length === 0,
  );
});

test('the code is left as it was, but for the header', () => {
  const plain = smallMachO();
  const signed = signMachO(plain, IDENTIFIER);
  const code = plain.indexOf('code');
  assert.ok(signed.subarray(code, plain.length).equals(plain.subarray(code)));
});

test('a file nobody signed is found out', () => {
  assert.deepEqual(verifyMachO(smallMachO()).problems, ['the file is not signed']);
});

test('one changed byte anywhere before the signature is found out', () => {
  const signed = signMachO(smallMachO(), IDENTIFIER);
  for (const at of [40, 5000, signed.indexOf('code') + 11_999]) {
    const changed = Buffer.from(signed);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    assert.ok(verifyMachO(changed).problems.length > 0, `byte ${at}`);
  }
});

test('bytes behind the signature are found out', () => {
  const longer = Buffer.concat([signMachO(smallMachO(), IDENTIFIER), Buffer.from('more')]);
  assert.deepEqual(verifyMachO(longer).problems, ['the signature is not the end of the file']);
});

test('a segment the fixups do not know of is found out', () => {
  const verdict = verifyMachO(signMachO(smallMachO({ fixupSegments: 1 }), IDENTIFIER));
  assert.deepEqual(verdict.problems, ['the fixups list 1 segments, the file has 2']);
});

test('a header without room is refused before anything is overwritten', () => {
  assert.throws(() => signMachO(smallMachO({ room: 8 }), IDENTIFIER), /no space/);
});

test('what is no Mach-O is refused', () => {
  assert.throws(() => signMachO(Buffer.from('#!/bin/sh\n'.repeat(9)), IDENTIFIER), /not a thin 64-bit Mach-O/);
  assert.throws(() => verifyMachO(Buffer.alloc(3)), /not a thin 64-bit Mach-O/);
});
