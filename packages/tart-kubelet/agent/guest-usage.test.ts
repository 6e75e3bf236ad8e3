import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guestUsages } from './guest-usage.ts';

const UID = '0b6f2f1e-6a52-4c5b-9c0b-8f2a0f2a9d11';

test('the CPU and memory usage of a guest is the sum over tart run and all its child processes', () => {
  const table = `
    1     0   0:10.00   9000 /sbin/launchd
  700     1   1:02.50   2048 /usr/local/lib/tart.app/Contents/MacOS/tart run --no-graphics pod-${UID}-2
  701   700  01:00:00   1024 com.apple.Virtualization.VirtualMachine
  702   701   0:00.25   1024 helper
  900     1   9:00.00   1024 tart run builder-vm
`;
  assert.deepEqual(
    [...guestUsages(table)],
    [[`pod-${UID}-2`, { cpuSeconds: 62.5 + 3_600 + 0.25, workingSetBytes: 4_096 * 1_024 }]],
  );
});

test('unparsable ps output yields no guest usage', () => {
  assert.equal(guestUsages('ps: illegal option').size, 0);
});
