import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signMachO } from './sign-mach-o.ts';
import { smallMachO } from './testing/small-mach-o.ts';
import { verifyMachO } from './verify-mach-o.ts';

const IDENTIFIER = 'dev.tuist.tart-kubelet';

test('a signed Mach-O file is ad-hoc signed, has its identifier, and every page hash matches', () => {
  const verdict = verifyMachO(signMachO(smallMachO(), IDENTIFIER));
  assert.deepEqual(verdict, { identifier: IDENTIFIER, adhoc: true, pages: 4, problems: [] });
});

test('signing a Mach-O file twice yields the same bytes', () => {
  const once = signMachO(smallMachO(), IDENTIFIER);
  assert.ok(signMachO(once, IDENTIFIER).equals(once));
  assert.ok(
    verifyMachO(signMachO(signMachO(smallMachO(), 'a-much-longer-name'.repeat(9)), 'short')).problems.length === 0,
  );
});

test('signing a Mach-O file changes only its header', () => {
  const plain = smallMachO();
  const signed = signMachO(plain, IDENTIFIER);
  const code = plain.indexOf('code');
  assert.ok(signed.subarray(code, plain.length).equals(plain.subarray(code)));
});

test('the Mach-O verifier reports an unsigned file', () => {
  assert.deepEqual(verifyMachO(smallMachO()).problems, ['the file is not signed']);
});

test('the Mach-O verifier reports one changed byte before the signature', () => {
  const signed = signMachO(smallMachO(), IDENTIFIER);
  for (const at of [40, 5000, signed.indexOf('code') + 11_999]) {
    const changed = Buffer.from(signed);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    assert.ok(verifyMachO(changed).problems.length > 0, `byte ${at}`);
  }
});

test('the Mach-O verifier reports bytes behind the signature', () => {
  const longer = Buffer.concat([signMachO(smallMachO(), IDENTIFIER), Buffer.from('more')]);
  assert.deepEqual(verifyMachO(longer).problems, ['the signature is not the end of the file']);
});

test('the Mach-O verifier reports a segment missing in the fixups', () => {
  const verdict = verifyMachO(signMachO(smallMachO({ fixupSegments: 1 }), IDENTIFIER));
  assert.deepEqual(verdict.problems, ['the fixups list 1 segments, the file has 2']);
});

test('a Mach-O header without space for the signature is rejected before any write', () => {
  assert.throws(() => signMachO(smallMachO({ room: 8 }), IDENTIFIER), /no space/);
});

test('a file that is not Mach-O is rejected', () => {
  assert.throws(() => signMachO(Buffer.from('#!/bin/sh\n'.repeat(9)), IDENTIFIER), /not a thin 64-bit Mach-O/);
  assert.throws(() => verifyMachO(Buffer.alloc(3)), /not a thin 64-bit Mach-O/);
});
