import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { passTime, type TestHost, testHost } from '../testing/test-host.ts';
import { HostLease, STATE_FOLDER } from './lease.ts';

import { setClockAhead } from './testing/set-clock-ahead.ts';

const DAY = 86_400_000;

const lost = new WeakMap<HostLease, string[]>();

function leaseOf({ host }: TestHost, holder: string): HostLease {
  const codes: string[] = [];
  const lease = new HostLease(host, { holder, token: `token-${holder}`, onLost: ({ code }) => codes.push(code) });
  lost.set(lease, codes);
  return lease;
}

const links = ({ mac, root }: TestHost): string[] =>
  mac.files
    .list(root, STATE_FOLDER)
    .filter(name => name.startsWith('lease.'))
    .map(name => `${name} ${mac.files.readLink(root, `${STATE_FOLDER}/${name}`)}`);

const busy = (holder: string) => ({
  code: 'HOST_BUSY',
  message: new RegExp(`: ${holder} is already changing .* 2m after`),
});

test('of many callers exactly one acquires the lease, the others get its holder', async () => {
  for (let round = 0; round < 10; round++) {
    const given = testHost();
    const names = ['ada', 'bob', 'cyd', 'dan', 'eve'];
    const hosts = names.map(name => leaseOf(given, name));
    // Each in a turn of its own, so that the commands run side by side and not one after the other.
    const got = await Promise.allSettled(
      hosts.map(async (lease, index) => {
        for (let turn = 0; turn < index * round; turn++) await new Promise(resolve => setImmediate(resolve));
        return lease.join();
      }),
    );
    const winners = got.flatMap(({ status }, index) => (status === 'fulfilled' ? [names[index]] : []));
    assert.equal(winners.length, 1);
    assert.deepEqual(links(given), [`lease.1 token-${winners[0]} ${winners[0]}`]);
    for (const one of got)
      if (one.status === 'rejected') assert.match(one.reason.message, new RegExp(`: ${winners[0]} is`));
    assert.deepEqual(given.journal.gaps, []);
    for (const lease of hosts) lease.stop();
  }
});

test('a late holder and a caller that took over never both continue', async () => {
  let woken = 0;
  let taken = 0;
  for (let round = 0; round < 30; round++) {
    const given = testHost();
    const [ada, ...others] = ['ada', 'bob', 'cyd', 'dan'].map(name => leaseOf(given, name));
    await ada?.join();
    ada?.stop();
    await given.clock.advance(minutes(3));
    const after = async (turns: number, lease: HostLease | undefined): Promise<boolean> => {
      for (let turn = 0; turn < turns; turn++) await new Promise(resolve => setImmediate(resolve));
      return (
        lease?.join().then(
          () => true,
          () => false,
        ) ?? false
      );
    };
    const late = after(round % 30, ada);
    const got = await Promise.all(others.map((lease, index) => after((index * round) % 7, lease)));
    const kept = await late;
    const winners = got.filter(Boolean).length + (kept ? 1 : 0);
    assert.ok(winners <= 1, `round ${round}: ${winners}`);
    woken += kept ? 1 : 0;
    taken += got.filter(Boolean).length;
    for (const lease of [ada, ...others]) lease?.stop();
  }
  assert.ok(woken > 0 && taken > 0, `${woken} woken, ${taken} taken`);
});

test('a released lease is free at once, and its number is not reused', async () => {
  const given = testHost();
  const [ada, bob] = [leaseOf(given, 'ada'), leaseOf(given, 'bob')];
  await ada.join();
  await assert.rejects(bob.join(), busy('ada'));
  await ada.release();
  assert.equal(await bob.join(), undefined);
  assert.deepEqual(links(given), ['lease.2 token-bob bob']);
  await bob.release();
  await given.clock.advance(seconds(10)); // the Mac itself is at rest by then
  assert.equal(given.clock.pending, 0);
});

test('a renewed lease is never taken over; one silent for two minutes is, and its holder stops', async () => {
  const given = testHost();
  const [ada, bob] = [leaseOf(given, 'ada'), leaseOf(given, 'bob')];
  await ada.join();
  await given.clock.advance(minutes(30));
  await assert.rejects(bob.join(), busy('ada'));
  ada.stop();
  await given.clock.advance(seconds(125));
  assert.equal(await bob.join(), 'ada did not renew its lease for 2m5s; the lease was taken over');
  await assert.rejects(ada.join(), { code: 'HOST_LEASE_LOST', message: /: bob took over the lease/ });
  assert.equal(ada.held, false);
  bob.stop();
});

test('a caller that loses the lease is notified within 30 seconds', async () => {
  const given = testHost();
  const ada = leaseOf(given, 'ada');
  await ada.join();
  given.mac.files.link(given.root, 'token-bob bob', `${STATE_FOLDER}/lease.2`);
  await given.clock.advance(seconds(30));
  assert.deepEqual(lost.get(ada), ['HOST_LEASE_LOST']);
  ada.stop();
});

test('a host that is silent for a while does not lose the lease', async () => {
  const given = testHost();
  const ada = leaseOf(given, 'ada');
  await ada.join();
  given.faults.add({ kind: 'command', fault: { type: 'drop', when: 'before' }, times: 3 });
  await given.clock.advance(minutes(2));
  assert.deepEqual(lost.get(ada), []);
  await ada.join();
  await ada.release();
});

for (const ahead of [DAY, -DAY])
  test(`a host whose clock is ${ahead > 0 ? 'a day ahead' : 'a day behind'} keeps its lease`, async () => {
    const given = testHost();
    setClockAhead(given.mac, ahead);
    const [ada, bob] = [leaseOf(given, 'ada'), leaseOf(given, 'bob')];
    await ada.join();
    await given.clock.advance(minutes(5));
    await assert.rejects(bob.join(), busy('ada'));
    ada.stop();
    await given.clock.advance(seconds(125));
    await bob.join();
    await bob.release();
  });

test('a clock set back by a day does not extend the lease of a dead holder', async () => {
  const given = testHost();
  const [ada, bob] = [leaseOf(given, 'ada'), leaseOf(given, 'bob')];
  await ada.join();
  ada.stop();
  given.mac.files.setModified(given.root, `${STATE_FOLDER}/lease.1`, given.clock.now() + DAY, { followLinks: false });
  await assert.rejects(bob.join(), busy('ada'));
  await given.clock.advance(seconds(125));
  await bob.join();
  await bob.release();
});

test('a clock set forward by a day lets another caller in, and the first stops', async () => {
  const given = testHost();
  const [ada, bob] = [leaseOf(given, 'ada'), leaseOf(given, 'bob')];
  await ada.join();
  given.mac.files.setModified(given.root, `${STATE_FOLDER}/lease.1`, given.clock.now() - DAY, { followLinks: false });
  await bob.join();
  await given.clock.advance(seconds(30));
  assert.deepEqual(lost.get(ada), ['HOST_LEASE_LOST']);
  ada.stop();
  bob.stop();
});

test('the lease works on a full disk, and a missing inode is an error', async () => {
  const given = testHost();
  given.mac.files.reserve(given.mac.files.space.free);
  const ada = leaseOf(given, 'ada');
  await ada.join();
  await ada.release();
  given.faults.add({
    kind: 'process',
    detail: /^ln /,
    fault: { type: 'fail', code: 1, message: 'ln: No space left on device' },
  });
  await assert.rejects(ada.join(), { code: 'HOST_DISK_FULL' });
});

test('a lease acquired with a lost answer is still released', async () => {
  const given = testHost();
  const [ada, bob] = [leaseOf(given, 'ada'), leaseOf(given, 'bob')];
  given.faults.add({ kind: 'command', fault: { type: 'drop', when: 'during' }, times: 1 });
  await assert.rejects(ada.join(), { code: 'HOST_CONNECTION_LOST' });
  await given.clock.settle(); // the host finishes the command
  await ada.release();
  await bob.join();
  await bob.release();
});

test('no renewal follows a release', async () => {
  const given = testHost();
  const [ada, bob] = [leaseOf(given, 'ada'), leaseOf(given, 'bob')];
  await ada.join();
  given.faults.add({ kind: 'command', fault: { type: 'delay', by: seconds(5) }, times: 1 });
  await given.clock.advance(seconds(30));
  await passTime(given.clock, ada.release());
  await bob.join();
  await bob.release();
});
