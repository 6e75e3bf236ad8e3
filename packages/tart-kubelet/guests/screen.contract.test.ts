/** A guest's screen, from Tart's line to the agent, with the simulated Tart. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { viewScreen } from '@minifleet/world/testing/tart';
import type { GuestScreen, GuestSpec, Guests } from './guest.ts';
import { guestName } from './guest-name.ts';
import { guestDirectory, SCREEN } from './record.ts';
import { exited } from './testing/agent-options.ts';
import { makeGuestsBench, running } from './testing/guests-bench.ts';

/** Reads the screen as soon as the guest runs, without retries: callers must not need to wait for it. */
async function served(guests: Guests, spec: GuestSpec): Promise<GuestScreen> {
  await running(guests, spec);
  const screen = await guests.screen(spec.id);
  assert.ok(screen);
  return screen;
}

/** Every file below the folder, the one with the password aside. */
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name !== SCREEN)
    .map(entry => join(entry.parentPath, entry.name));

test('a guest’s screen needs its password, which is in one file only', async context => {
  const bench = await makeGuestsBench(context);
  const guests = bench.agent();
  const spec = bench.spec({ screen: true });
  await guests.start(spec);
  const screen = await served(guests, spec);
  assert.equal((await viewScreen(screen)).name, guestName(spec.id));
  const file = join(guestDirectory(bench.state, spec.id), SCREEN);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.match(bench.logOf(spec), / stdout F VNC server is running at vnc:\/\/:REDACTED@127\.0\.0\.1:\d+\n/);
  for (const path of [...filesBelow(bench.state), ...filesBelow(bench.logs)]) {
    assert.ok(!readFileSync(path, 'latin1').includes(screen.password), path);
  }
  assert.ok(!JSON.stringify(guests.find(spec.id)?.state).includes(screen.password));
  await guests.stop(spec.id, seconds(5));
  await assert.rejects(guests.screen(spec.id), { code: 'SCREEN_NOT_SERVED' });
  await guests.remove(spec.id);
  assert.equal(existsSync(file), false);
});

test('the next agent finds the screen of a running guest', async context => {
  const bench = await makeGuestsBench(context);
  const spec = bench.spec({ screen: true });
  const first = bench.agent();
  await first.start(spec);
  const screen = await served(first, spec);
  first.close();
  const second = bench.agent();
  await second.recover();
  assert.deepEqual(await second.screen(spec.id), screen);
  assert.equal((await viewScreen(screen)).name, guestName(spec.id));
});

test('a guest without the screen setting has no screen, and Tart starts none', async context => {
  const bench = await makeGuestsBench(context);
  const guests = bench.agent();
  const spec = bench.spec();
  await guests.start(spec);
  await running(guests, spec);
  assert.equal(await guests.screen(spec.id), undefined);
  assert.match(bench.journal(), /run pod-\S+ --no-graphics/);
  assert.doesNotMatch(bench.journal(), /vnc/);
});

test('a crashed guest with a screen is reported with Tart’s message, without the screen address', async context => {
  const bench = await makeGuestsBench(context);
  const guests = bench.agent();
  const spec = bench.spec({ screen: true });
  bench.behave(spec, { crashesAfterSeconds: 30 });
  await guests.start(spec);
  const exit = await exited(guests, spec);
  assert.equal(exit.reason, 'VMCrashed');
  assert.doesNotMatch(exit.message, /vnc/i);
});

test('a damaged screen record is reported, and the guest keeps running', async context => {
  const bench = await makeGuestsBench(context);
  const guests = bench.agent();
  const spec = bench.spec({ screen: true });
  await guests.start(spec);
  await served(guests, spec);
  writeFileSync(join(guestDirectory(bench.state, spec.id), SCREEN), '{');
  await assert.rejects(
    guests.screen(spec.id),
    /screen unavailable \(its record is unreadable: it is not a JSON object/,
  );
  assert.equal(guests.find(spec.id)?.state.phase, 'running');
});
