import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSupervisorOf, isTartCallOn, parseProcesses } from './process-table.ts';

const name = 'pod-0f6e1c5e-3a55-4b1d-9c0e-0123456789ab-1';
const table = parseProcesses(
  [
    '    1     1 /sbin/launchd',
    `  812   800 /opt/homebrew/bin/tart run ${name} --no-graphics`,
    `  813   813 tart clone golden ${name}`,
    `  814   814 tart run ${name}0 --no-graphics`,
    `  815   815 grep tart run ${name}`,
    `  816   816 vim /tmp/tart run ${name}`,
    '  817   817 tart push builder ghcr.io/acme/image',
    `  820   800 /bin/sh /opt/homebrew/bin/tart run ${name}`,
    `  818   818 /usr/local/bin/tart-kubelet supervise /var/lib/tart-kubelet/guests/${name.slice(4)}`,
    `  819   819 ls /var/lib/tart-kubelet/guests/${name.slice(4)}`,
    '',
  ].join('\n'),
);

test('I28 only Tart calls on exactly this VM match its processes', () => {
  assert.deepEqual(
    table.filter(isTartCallOn(name)).map(({ pid }) => pid),
    [812, 813],
  );
});

test('a wrapper that has not executed Tart yet is matched by its group', () => {
  assert.deepEqual(
    table.filter(isTartCallOn(name, 800)).map(({ pid }) => pid),
    [812, 813, 820],
  );
});

test('a supervisor is matched by the folder of its guest', () => {
  const found = table.filter(isSupervisorOf(`/var/lib/tart-kubelet/guests/${name.slice(4)}`));
  assert.deepEqual(
    found.map(({ pid }) => pid),
    [818],
  );
});
