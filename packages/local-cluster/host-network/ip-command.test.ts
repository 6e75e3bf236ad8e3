import assert from 'node:assert/strict';
import { test } from 'node:test';
import { subnetsIn } from './choose-subnet.ts';
import { explain } from './ip-command.ts';

test('ip command: if it is missing, the error says what to install', () => {
  const error = explain(['netns'], Object.assign(new Error('spawn ip'), { code: 'ENOENT' }));
  assert.match(error.message, /apt-get install iproute2/);
});

test('ip command: the error names missing permissions', () => {
  const error = explain(
    ['netns'],
    Object.assign(new Error('failed'), { stderr: 'mount --make-shared: Operation not permitted' }),
  );
  assert.match(error.message, /NET_ADMIN and SYS_ADMIN/);
});

test('ip command: other errors are shown with its own message', () => {
  const error = explain(['link', 'add'], Object.assign(new Error('failed'), { stderr: 'Unknown device type.\n' }));
  assert.match(error.message, /"ip link add" failed: Unknown device type\./);
});

test('ip command: used subnets are read from the addresses of the machine', () => {
  const output = '1: lo    inet 127.0.0.1/8 scope host lo\n5: mfa    inet 198.18.233.1/24 scope global mfa\n';
  assert.deepEqual(subnetsIn(output), new Set(['127.0.0', '198.18.233']));
});
