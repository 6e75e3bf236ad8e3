import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { m1 } from '../mac.ts';
import { processesOf } from '../processes/process-table.ts';
import { createTestMac } from '../testing/test-mac.ts';

const agent = { argv: ['/usr/local/bin/agent', '--flag'], user: m1, session: 'launchd' } as const;

test('ps prints the age of a process as [[dd-]hh:]mm:ss', async () => {
  const { mac, clock, run } = createTestMac();
  const { pid } = processesOf(mac).start(agent);
  const age = async (): Promise<string> => (await run(`ps -o etime= -p ${pid}`)).out.trim();
  const seen = [await age()];
  for (const passed of [5, 60, 3_600, 86_400]) {
    await clock.advance(seconds(passed));
    seen.push(await age());
  }
  assert.deepEqual(seen, ['00:00', '00:05', '01:05', '01:01:05', '01-01:01:05']);
});

test('ps prints pid, age and command line without titles', async () => {
  const { mac, clock, run } = createTestMac();
  const { pid } = processesOf(mac).start(agent);
  await clock.advance(seconds(7));
  const { out } = await run('ps -axo pid=,etime=,command=');
  assert.match(out, new RegExp(`^ *${pid} +00:07 /usr/local/bin/agent --flag$`, 'm'));
});
