import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { startDoomedParent } from '../testing/doomed-parent.ts';
import { noHostNetwork } from '../testing/host-network-support.ts';
import { waitUntil } from '../wait-until.ts';
import { runInPrivateNamespaces } from './private-namespaces.ts';

const ADDRESS = '192.0.2.1/24';

/** Prints its folder and cgroup, then runs the rest with processes and mounts that it does not clean up. */
const script = (last: string): string[] => [
  'sh',
  '-c',
  `echo "$TMPDIR $MINIFLEET_CGROUP"; mkdir /run/left; mount -t tmpfs none /mnt; touch /mnt/left; ip -o address show; (sleep 600 &)
  for group in /sys/fs/cgroup/*/"$MINIFLEET_CGROUP" /sys/fs/cgroup/"$MINIFLEET_CGROUP"; do
    [ ! -d "$group" ] || mkdir "$group/pods"
  done
  ${last}`,
];

async function run(last: string): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const eachLine = (line: string): void => void lines.push(line);
  const code = await runInPrivateNamespaces({ argv: script(last), addresses: [ADDRESS], environment: {}, eachLine });
  return { code, lines };
}

function assertNothingLeft([folder = '', cgroup = '']: string[]): void {
  assert.ok(folder !== '' && cgroup !== '');
  assert.ok(!existsSync(folder));
  assert.ok(!existsSync('/run/left'));
  assert.ok(!existsSync('/mnt/left'));
  const groups = ['', ...readdirSync('/sys/fs/cgroup')].map(name => path.join('/sys/fs/cgroup', name, cgroup));
  assert.deepEqual(groups.filter(existsSync), []);
}

describe('private namespaces', { skip: noHostNetwork }, () => {
  test('private namespaces: a program has only its own network, and its exit code is returned', async () => {
    const { code, lines } = await run('exit 7');
    assert.equal(code, 7);
    assert.ok(lines.some(line => line.includes(`inet ${ADDRESS}`)));
    const outside = Object.keys(networkInterfaces()).filter(name => name !== 'lo');
    for (const name of outside) assert.ok(!lines.some(line => line.includes(` ${name} `)), name);
  });

  test('private namespaces: processes, mounts, files and cgroups end with the program', async () => {
    const { lines } = await run('exit 0');
    assertNothingLeft((lines[0] ?? '').split(' '));
  });

  test('private namespaces: everything ends with the starting process, even after SIGKILL', async () => {
    const parent = await startDoomedParent<string[]>('run-in-namespaces.ts', ...script('sleep 600'));
    const [folder = ''] = parent.report;
    assert.ok(existsSync(folder));
    parent.kill();
    const group = path.join('/sys/fs/cgroup', parent.report[1] ?? '');
    assert.ok(await waitUntil(async () => !existsSync(folder) && !existsSync(group), { deadline: 20_000 }));
    assertNothingLeft(parent.report);
  });
});
