import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { ip } from '../host-network/ip-command.ts';
import { runs, startDoomedParent } from '../testing/doomed-parent.ts';
import { noHostNetwork } from '../testing/host-network-support.ts';
import { waitUntil } from '../wait-until.ts';

const DEADLINE = 10_000;

for (const paused of [false, true]) {
  const state = paused ? ', even of a paused component' : '';
  test(`SIGKILL of the parent leaves nothing of its cluster${state}`, async () => {
    type Report = { pids: number[]; directory: string };
    const { report, kill } = await startDoomedParent<Report>('start-and-wait.ts', String(paused));
    const { pids, directory } = report;
    assert.equal(pids.length, 4);
    assert.ok(pids.every(runs) && existsSync(directory));
    kill();
    const gone = await waitUntil(async () => !pids.some(runs) && !existsSync(directory), { deadline: DEADLINE });
    assert.ok(gone, `still there: ${pids.filter(runs).join()} ${existsSync(directory) ? directory : ''}`);
  });
}

test('SIGKILL of the parent leaves nothing of its host network', {
  skip: noHostNetwork,
}, async () => {
  type Report = { pid: number; namespace: string; gateway: string };
  const { report, kill } = await startDoomedParent<Report>('network-and-wait.ts');
  const { pid, namespace, gateway } = report;
  const left = async () => `${await ip('netns', 'list')} ${await ip('-4', 'address', 'show')}`;
  assert.ok((await left()).includes(namespace));
  kill();
  const gone = await waitUntil(
    async () => {
      const text = await left();
      return !text.includes(namespace) && !text.includes(`${gateway}/`) && !runs(pid);
    },
    { deadline: DEADLINE },
  );
  assert.ok(gone, await left());
});
