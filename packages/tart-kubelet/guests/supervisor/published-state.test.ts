import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually, fakeClock } from '@minifleet/clock/testing';
import type { GuestState } from '../guest.ts';
import { readScreen, SCREEN } from '../record.ts';
import { createStatePublisher } from './published-state.ts';

const SCREEN_OF_IT = { host: '127.0.0.1', port: 5_901, password: 'four-words' };
const running: GuestState = { phase: 'running', startedAt: 1, address: '192.168.64.2' };
const exited: GuestState = {
  phase: 'exited',
  exit: { exitCode: 0, reason: 'Completed', message: '', startedAt: 1, finishedAt: 2 },
};

function bench(context: { after(clean: () => void): void }) {
  const directory = mkdtempSync(join(tmpdir(), 'screen-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  const published: GuestState[] = [];
  const clock = fakeClock();
  const publisher = createStatePublisher({ directory, clock, publish: state => published.push(state) });
  return { directory, published, clock, publisher };
}

test('a screen known before the guest runs is published with state running, mode 0600 on disk', async context => {
  const { directory, published, publisher } = bench(context);
  await publisher.setScreen(SCREEN_OF_IT);
  assert.deepEqual(published, []);
  publisher.setState(running);
  publisher.setState(exited);
  assert.deepEqual(published, [{ ...running, screen: true }, exited]);
  assert.deepEqual(await readScreen(directory), { found: 'whole', value: SCREEN_OF_IT });
  assert.equal(statSync(join(directory, SCREEN)).mode & 0o777, 0o600);
  assert.doesNotMatch(JSON.stringify(published), /four-words/);
});

test('a later screen is published when it arrives; only the first counts, and none after the exit', async context => {
  const { directory, published, publisher } = bench(context);
  publisher.setState(running);
  await publisher.setScreen(SCREEN_OF_IT);
  await publisher.setScreen({ ...SCREEN_OF_IT, port: 6_000 });
  assert.deepEqual(published, [running, { ...running, screen: true }]);
  assert.deepEqual(await readScreen(directory), { found: 'whole', value: SCREEN_OF_IT });
  const late = bench(context);
  late.publisher.setState(exited);
  await late.publisher.setScreen(SCREEN_OF_IT);
  assert.deepEqual(late.published, [exited]);
});

test('a screen that cannot be written is published only once it is on disk', async context => {
  const { directory, published, clock, publisher } = bench(context);
  // A folder in the file's place: the rename over it fails as long as it is there.
  mkdirSync(join(directory, SCREEN));
  publisher.setState(running);
  const served = publisher.setScreen(SCREEN_OF_IT);
  await eventually(() => clock.pending === 1);
  assert.deepEqual(published, [running]);
  rmdirSync(join(directory, SCREEN));
  await clock.advance(seconds(1));
  await served;
  assert.deepEqual(published.at(-1), { ...running, screen: true });
});
