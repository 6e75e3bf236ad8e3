import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passwordOf } from './password.ts';

const cases: readonly [sentence: string, sudoPassword: string, vncUrl: string, password: string | undefined][] = [
  ['the sudo password of a server has precedence', 'fresh', 'vnc://m1:other@203.0.113.1:5900', 'fresh'],
  ['a sealed sudo password is read from the VNC URL', '<sealed>', 'vnc://m1:kept@203.0.113.1:5900', 'kept'],
  ['an empty sudo password is read from the VNC URL', '', 'vnc://m1:kept@203.0.113.1:59010', 'kept'],
  ['the password in a VNC URL is unescaped', '<sealed>', 'vnc://m1:p%40ss%2Fw%25rd@203.0.113.1:5900', 'p@ss/w%rd'],
  ['an unescaped @ is part of the password in a VNC URL', '<sealed>', 'vnc://m1:p@ss@203.0.113.1:5900', 'p@ss'],
  ['a colon is part of the password in a VNC URL', '<sealed>', 'vnc://m1:p:ss@203.0.113.1:5900', 'p:ss'],
  ['a lone percent sign is part of the password in a VNC URL', '<sealed>', 'vnc://m1:100%@203.0.113.1:5900', '100%'],
  ['a VNC URL without a user has a password', '<sealed>', 'vnc://:kept@203.0.113.1', 'kept'],
  ['a sealed sudo password and a sealed VNC URL give no password', '<sealed>', '<sealed>', undefined],
  [
    'a sealed password inside a VNC URL gives no password',
    '<sealed>',
    'vnc://m1:%3Csealed%3E@203.0.113.1:5900',
    undefined,
  ],
  ['a VNC URL without a password gives no password', '<sealed>', 'vnc://203.0.113.1:5900', undefined],
  ['a VNC URL with a user only gives no password', '<sealed>', 'vnc://m1@203.0.113.1:5900', undefined],
  ['an empty sudo password and an empty VNC URL give no password', '', '', undefined],
];

for (const [sentence, sudoPassword, vncUrl, password] of cases) {
  test(sentence, () => assert.equal(passwordOf({ sudoPassword, vncUrl }), password));
}
