import assert from 'node:assert/strict';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '@minifleet/clock/testing';
import { exited, type LocalGuest, localGuest } from '../testing/local-guest.ts';
import { listLogFiles, tailPosition } from './log-files.ts';
import type { ContainerLogOptions } from './log-options.ts';
import { renderedLog } from './serve-logs.ts';

async function guestForTests(t: TestContext): Promise<LocalGuest> {
  const folder = await mkdtemp(path.join(tmpdir(), 'minifleet-logs-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return localGuest({ name: 'pod', folder });
}

const EVERYTHING: ContainerLogOptions = {
  follow: false,
  previous: false,
  timestamps: false,
  since: undefined,
  tailLines: undefined,
  limitBytes: undefined,
  stream: 'all',
};

/** Reads in the background; `text` is what has been shown so far. */
function read(pod: LocalGuest, options: Partial<ContainerLogOptions> = {}) {
  const stop = new AbortController();
  const shown = { text: '', stop: () => stop.abort(), done: Promise.resolve() };
  async function run(): Promise<void> {
    const file = pod.logFile('current') ?? '';
    for await (const chunk of renderedLog({ pod, file, options: { ...EVERYTHING, ...options }, signal: stop.signal })) {
      shown.text += chunk.toString();
    }
  }
  shown.done = run();
  return shown;
}

async function all(pod: LocalGuest, options?: Partial<ContainerLogOptions>): Promise<string> {
  const shown = read(pod, options);
  await shown.done;
  return shown.text;
}

test('a log is read through its rotated files, oldest first', async t => {
  const pod = await guestForTests(t);
  // Order is by the time of the last write, whatever the names are.
  for (const [line, suffix, second] of [
    ['one', 'z', 1],
    ['two', 'a', 2],
  ] as const) {
    pod.say(line);
    pod.rotate(suffix);
    await utimes(`${pod.logFile('current')}.${suffix}`, second, second);
  }
  pod.say('three');
  await writeFile(`${pod.logFile('current')}.20290101.gz`, 'packed');
  assert.equal(await all(pod), 'one\ntwo\nthree\n');
  assert.equal(await all(pod, { tailLines: 2 }), 'two\nthree\n');
  assert.equal(await all(pod, { tailLines: 1 }), 'three\n');
  assert.equal(await all(pod, { tailLines: 0 }), '');
  assert.equal(await all(pod, { tailLines: 50 }), 'one\ntwo\nthree\n');
});

test('the tail of a huge log file is found without reading the whole file', async t => {
  const pod = await guestForTests(t);
  const file = pod.logFile('current') ?? '';
  const line = `2030-01-01T00:00:00Z stdout F ${'x'.repeat(200)}\n`;
  await writeFile(file, line.repeat(100_000));
  const found = await tailPosition(await listLogFiles(file), 10);
  assert.equal(found?.offset, line.length * (100_000 - 10));
  assert.equal((await all(pod, { tailLines: 1_000 })).length, 1_000 * 201);
});

test('a log that does not exist yet is empty', async t => {
  assert.equal(await all(await guestForTests(t)), '');
});

test('a followed log shows new lines and ends with the guest, including its last line', async t => {
  const pod = await guestForTests(t);
  pod.say('before');
  const shown = read(pod, { follow: true });
  await eventually(() => shown.text === 'before\n');
  pod.say('while');
  await eventually(() => shown.text === 'before\nwhile\n');
  pod.say('last words');
  pod.become(exited);
  await shown.done;
  assert.equal(shown.text, 'before\nwhile\nlast words\n');
});

test('a log can be followed before its first line is written', async t => {
  const pod = await guestForTests(t);
  const shown = read(pod, { follow: true });
  await new Promise(setImmediate);
  pod.say('hello');
  await eventually(() => shown.text === 'hello\n');
  pod.become(undefined);
  await shown.done;
});

test('a followed log loses and repeats no line across rotations', async t => {
  const pod = await guestForTests(t);
  const shown = read(pod, { follow: true });
  const expected: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    for (let line = 0; line < 200; line += 1) {
      expected.push(`${round}.${line}`);
      pod.say(`${round}.${line}`);
    }
    pod.rotate(`r${round}`);
    await new Promise(setImmediate);
  }
  pod.say('end');
  await eventually(() => shown.text.endsWith('end\n'));
  pod.become(exited);
  await shown.done;
  assert.deepEqual(shown.text.split('\n'), [...expected, 'end', '']);
});

test('a follower that disconnects ends the read of a silent log', async t => {
  const pod = await guestForTests(t);
  pod.say('one');
  const shown = read(pod, { follow: true });
  await eventually(() => shown.text === 'one\n');
  shown.stop();
  await shown.done;
});

test('a followed tail starts at the tail and ends at limitBytes', async t => {
  const pod = await guestForTests(t);
  for (const line of ['a', 'b', 'c']) pod.say(line);
  const shown = read(pod, { follow: true, tailLines: 1, limitBytes: 4 });
  await eventually(() => shown.text === 'c\n');
  pod.say('d');
  await shown.done;
  assert.equal(shown.text, 'c\nd\n', 'and ends by itself at the limit of bytes');
});
