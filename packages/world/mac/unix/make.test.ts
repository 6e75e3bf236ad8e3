import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { createTestMac } from '../testing/test-mac.ts';

test('touch -h changes the time of a link itself and creates nothing', async () => {
  const { run, journal, clock } = createTestMac();
  await run('cd /tmp; ln -s nowhere one');
  const before = (await run('stat -f %m /tmp/one')).out;
  await clock.advance(seconds(60));
  assert.equal((await run('touch -h /tmp/one /tmp/two')).code, 0);
  assert.equal(Number((await run('stat -f %m /tmp/one')).out) - Number(before), 60);
  assert.equal((await run('ls /tmp')).out, 'one\n');
  assert.deepEqual(journal.gaps, []);
});

test('touch -t sets a time and rejects an invalid one', async () => {
  const { run, journal } = createTestMac();
  assert.equal((await run('touch -t 197001020000 /tmp/old; stat -f %m /tmp/old')).out, '86400\n');
  assert.equal((await run('touch -t 6901010000.01 /tmp/old; stat -f %m /tmp/old')).out, '-31535999\n');
  assert.deepEqual(await run('touch -t yesterday /tmp/new'), {
    code: 1,
    out: '',
    err: 'touch: out of range or illegal time specification: [[CC]YY]MMDDhhmm[.SS]\n',
  });
  assert.equal((await run('ls /tmp')).out, 'old\n');
  assert.deepEqual(journal.gaps, []);
});

test('only one of many concurrent ln -s succeeds, and the link has its target from the start', async () => {
  const { run, journal } = createTestMac();
  const made = await Promise.all(
    ['a b', 'c d'].map(async words => ({ words, ...(await run(`ln -s '${words}' /tmp/lock`)) })),
  );
  const winners = made.filter(({ code }) => code === 0);
  assert.equal(winners.length, 1);
  assert.match(made.find(({ code }) => code !== 0)?.err ?? '', /File exists/);
  assert.equal((await run('readlink /tmp/lock')).out, `${winners[0]?.words}\n`);
  assert.deepEqual(journal.gaps, []);
});
