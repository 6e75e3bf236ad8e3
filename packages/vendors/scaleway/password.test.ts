import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passwordOf } from './password.ts';

const cases: readonly [sentence: string, sudoPassword: string, vncUrl: string, password: string | undefined][] = [
  ['the shown password counts', 'fresh', 'vnc://m1:other@203.0.113.1:5900', 'fresh'],
  ['sealed: it is in the address of the screen', '<sealed>', 'vnc://m1:kept@203.0.113.1:5900', 'kept'],
  ['empty: it is in the address of the screen', '', 'vnc://m1:kept@203.0.113.1:59010', 'kept'],
  ['it is unescaped', '<sealed>', 'vnc://m1:p%40ss%2Fw%25rd@203.0.113.1:5900', 'p@ss/w%rd'],
  ['an @ that nobody escaped is part of it', '<sealed>', 'vnc://m1:p@ss@203.0.113.1:5900', 'p@ss'],
  ['a colon is part of it', '<sealed>', 'vnc://m1:p:ss@203.0.113.1:5900', 'p:ss'],
  ['a lone percent sign is itself', '<sealed>', 'vnc://m1:100%@203.0.113.1:5900', '100%'],
  ['a user is not needed', '<sealed>', 'vnc://:kept@203.0.113.1', 'kept'],
  ['both sealed: there is none', '<sealed>', '<sealed>', undefined],
  ['sealed inside the address: there is none', '<sealed>', 'vnc://m1:%3Csealed%3E@203.0.113.1:5900', undefined],
  ['an address without a password has none', '<sealed>', 'vnc://203.0.113.1:5900', undefined],
  ['an address with a user alone has none', '<sealed>', 'vnc://m1@203.0.113.1:5900', undefined],
  ['nothing at all', '', '', undefined],
];

for (const [sentence, sudoPassword, vncUrl, password] of cases) {
  test(sentence, () => assert.equal(passwordOf({ sudoPassword, vncUrl }), password));
}
