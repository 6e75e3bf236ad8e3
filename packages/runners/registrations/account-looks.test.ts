import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { FORGE_BUSY, FORGE_REFUSED } from '@minifleet/forges';
import { memoryForge } from '@minifleet/forges/testing';
import { silentLog } from '@minifleet/kube';
import { createAccountLooks } from './account-looks.ts';

function bench() {
  const clock = fakeClock();
  const forge = memoryForge({ clock, runners: [{ name: 'a' }] });
  const woken: string[] = [];
  const looks = createAccountLooks({ clock, log: silentLog, every: seconds(30), wake: pool => woken.push(pool) });
  const lists = () => forge.calls.filter(({ call }) => call === 'runners').length;
  return { clock, forge, looks, woken, lists };
}

test('however many pools ask, an account is listed once in thirty seconds', async () => {
  const { clock, forge, looks, lists } = bench();
  for (let second = 0; second < 120; second += 5) {
    for (const pool of ['n/a', 'n/b', 'n/c']) looks.see(forge, pool);
    await clock.advance(seconds(5));
  }
  assert.equal(lists(), 4);
});

test('news wakes every pool of the account, and the same news again nobody', async () => {
  const { clock, forge, looks, woken } = bench();
  const look = async () => {
    woken.length = 0;
    await clock.advance(seconds(30));
    for (const pool of ['n/a', 'n/b']) looks.see(forge, pool);
    await clock.settle();
    return [...woken];
  };
  assert.deepEqual(await look(), ['n/a', 'n/b']);
  assert.deepEqual(await look(), []);
  forge.takeJob('a');
  assert.deepEqual(await look(), ['n/a', 'n/b']);
  assert.equal(looks.see(forge, 'n/a').runners.get('a')?.busy, true);
});

test('one that is not in a list is absent only when it is not found by its name', async () => {
  const { clock, forge, looks } = bench();
  looks.see(forge, 'n/a');
  await clock.settle();
  forge.put({ name: 'late' });
  looks.confirm(forge, ['late', 'gone']);
  await clock.settle();
  const { absent, runners } = looks.see(forge, 'n/a');
  assert.deepEqual([...absent], ['gone']);
  assert.equal(runners.get('late')?.state, 'online');
});

test('while a forge asks for silence nothing is sent, what was known stays, and the trouble is told', async () => {
  const { clock, forge, looks, lists, woken } = bench();
  looks.see(forge, 'n/a');
  await clock.advance(seconds(30));
  forge.failNext({ call: 'runners', when: 'before', error: FORGE_BUSY({ forge: 'memory', call: 'runners' }) });
  woken.length = 0;
  looks.see(forge, 'n/a');
  await clock.settle();
  assert.equal(looks.see(forge, 'n/a').trouble?.code, 'FORGE_BUSY');
  assert.ok(looks.see(forge, 'n/a').runners.has('a'));
  assert.deepEqual(woken, ['n/a']);
  await clock.advance(seconds(59));
  looks.see(forge, 'n/a');
  looks.confirm(forge, ['b']);
  assert.equal(lists(), 2);
  await clock.advance(seconds(1));
  looks.see(forge, 'n/a');
  await clock.settle();
  assert.deepEqual([lists(), looks.see(forge, 'n/a').trouble], [3, undefined]);
});

test('what a person has to mend is tried again every five minutes', async () => {
  const { clock, forge, looks, lists } = bench();
  const refused = FORGE_REFUSED({ forge: 'memory', call: 'runners', account: 'acme', why: '403', app: '1' });
  forge.failNext({ call: 'runners', when: 'before', error: refused });
  looks.see(forge, 'n/a');
  await clock.advance(minutes(4.9));
  looks.see(forge, 'n/a');
  assert.equal(lists(), 1);
  await clock.advance(minutes(0.1));
  looks.see(forge, 'n/a');
  assert.equal(lists(), 2);
});
