import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { createRedactor, Secret } from '@minifleet/secret';
import type { Fault } from '@minifleet/world';
import { root } from '@minifleet/world/mac';
import type { Artifact } from './host.ts';
import { openHost } from './open-host.ts';
import { passTime, type TestHost, testHost } from './testing/test-host.ts';

const place = { path: '/usr/local/etc/agent.conf', mode: 0o640, owner: 'root:wheel' };
const content = Buffer.alloc(200_000, 'content ');
const artifact: Artifact = {
  name: 'an agent',
  sha256: createHash('sha256').update(content).digest('hex'),
  async *open() {
    yield content;
  },
};

const writes: Readonly<Record<string, (host: TestHost['host']) => Promise<unknown>>> = {
  'a write': host => host.writeFile(place, content),
  'an edit': host => host.editText(place, () => content.toString()),
  'an upload': host => host.upload(place, artifact),
};

const partsOn = ({ mac }: TestHost): string[] =>
  mac.files.list(root, '/usr/local/etc').filter(name => name.includes('minifleet-part'));

/** The old file is there, whole, and nothing lies beside it. */
async function assertUntouched(found: TestHost): Promise<void> {
  assert.equal(await found.host.readText(place.path), 'old\n');
  assert.deepEqual(partsOn(found), []);
  assert.deepEqual(found.journal.gaps, []);
}

/** The disk fails when the content comes, not already when the part is made for it. */
function failContent({ faults }: TestHost, fault: Fault): void {
  const part = { kind: 'file write', detail: /minifleet-part/ } as const;
  faults.add({ ...part, fault: { type: 'delay', by: seconds(0) }, times: 1 });
  faults.add({ ...part, fault });
}

async function withOldFile(): Promise<TestHost> {
  const test = testHost();
  await test.host.writeFile(place, 'old\n');
  return test;
}

for (const [name, write] of Object.entries(writes)) {
  test(`${name} on a full disk is HOST_DISK_FULL, and the old file stays`, async () => {
    const found = await withOldFile();
    found.mac.files.reserve(found.mac.files.space.free - 50_000);
    await assert.rejects(write(found.host), { code: 'HOST_DISK_FULL' });
    await assertUntouched(found);
  });

  for (const [errno, code] of [
    ['ENOSPC', 'HOST_DISK_FULL'],
    ['EROFS', 'HOST_FILE_READ_ONLY'],
    ['EPERM', 'HOST_FILE_READ_ONLY'],
    ['EIO', 'HOST_UPLOAD_INCOMPLETE'],
  ] as const) {
    test(`${name} that fails with ${errno} is ${code}, and the old file stays`, async () => {
      const found = await withOldFile();
      failContent(found, { type: 'fail', code: 1, message: errno });
      await assert.rejects(write(found.host), { code });
      await assertUntouched(found);
    });
  }

  test(`${name} of which only half is written is detected`, async () => {
    const found = await withOldFile();
    failContent(found, { type: 'drop', when: 'during' });
    await assert.rejects(write(found.host), { code: 'HOST_UPLOAD_INCOMPLETE' });
    await assertUntouched(found);
  });

  for (const when of ['before', 'during', 'after'] as const) {
    test(`${name} whose connection breaks ${when} it leaves the old or the new file, and a retry finishes`, async () => {
      const found = await withOldFile();
      found.faults.add({ kind: 'command', detail: /write-file|upload/, fault: { type: 'drop', when }, times: 1 });
      await assert.rejects(write(found.host), { code: 'HOST_CONNECTION_LOST' });
      await found.clock.settle();
      assert.ok(['old\n', content.toString()].includes((await found.host.readText(place.path)) ?? ''));
      await write(found.host);
      assert.equal(await found.host.readText(place.path), content.toString());
      assert.deepEqual(partsOn(found), []);
    });
  }
}

test('writing to the sealed system volume is HOST_FILE_READ_ONLY', async () => {
  const { host } = testHost();
  const writing = host.writeFile({ ...place, path: '/System/Library/agent.conf' }, 'text');
  await assert.rejects(writing, { code: 'HOST_FILE_READ_ONLY' });
});

test('parts of killed writers are removed by the next write, other files are kept', async () => {
  const found = await withOldFile();
  const beside = ['agent.conf.minifleet-part.a1b2c3', 'agent.conf.backup', 'other.conf.minifleet-part.a1b2c3'];
  for (const name of beside) found.mac.files.write(root, `/usr/local/etc/${name}`, 'left');
  await found.host.writeFile(place, 'new\n');
  assert.deepEqual(
    found.mac.files.list(root, '/usr/local/etc').toSorted(),
    ['agent.conf', ...beside.slice(1)].toSorted(),
  );
});

test('of two concurrent writers the last to start wins, and the other gets an error', async () => {
  const { host } = testHost();
  const { promise: second, resolve } = Promise.withResolvers<void>();
  const slow: Artifact = {
    ...artifact,
    async *open() {
      yield content.subarray(0, 1_000);
      await host.writeFile(place, 'second\n');
      resolve();
      yield content.subarray(1_000);
    },
  };
  await assert.rejects(host.upload(place, slow), { code: 'HOST_FILE_CHANGED' });
  await second;
  assert.equal(await host.readText(place.path), 'second\n');
});

test('output of a failed command is redacted before it is truncated', async () => {
  const { host, redactor } = testHost();
  redactor.learn(new Secret('token', 'tok-0123456789abcdef'));
  // The secret lies across the place where a long output is cut.
  const output = `tok-0123456789abcdef${'x'.repeat(990)}`;
  const failing = host.must(['/bin/sh', '-c', 'echo "$1" >&2; exit 3', 'say-it', output]);
  await assert.rejects(failing, (error: Error) => {
    assert.doesNotMatch(error.message, /tok-|9abcdef/);
    assert.match(error.message, /^m1@mini-01: say-it \[token\]x+ failed with exit code 3: /);
    return true;
  });
});

test('a timed-out command is reported without secrets', async () => {
  const { host, clock, redactor } = testHost();
  redactor.learn(new Secret('token', 'tok-0123456789abcdef'));
  const running = host.run(['/bin/sh', '-c', 'sleep 600', 'wait-for', 'tok-0123456789abcdef']);
  await assert.rejects(passTime(clock, running), {
    code: 'HOST_COMMAND_TIMED_OUT',
    message: /^m1@mini-01: wait-for \[token\] did not finish/,
  });
});

test('sudo that asks for a password is HOST_SUDO_NEEDED', async () => {
  const { host } = testHost({ passwordlessSudo: false });
  await assert.rejects(host.readText('/etc/sudoers'), { code: 'HOST_SUDO_NEEDED' });
  await assert.rejects(host.writeFile(place, 'text'), { code: 'HOST_SUDO_NEEDED' });
  await assert.rejects(host.upload(place, artifact), { code: 'HOST_SUDO_NEEDED' });
});

test('output of the login shell affects neither queries nor uploads', async () => {
  const { host, mac } = testHost();
  mac.files.write(root, '/etc/zshenv', 'echo "send your regards"; echo there we are; echo aside >&2\n');
  const [one, two] = await Promise.all([host.query(['/bin/echo', 'one']), host.query(['/bin/echo', 'two'])]);
  assert.deepEqual([one.stdout, one.stderr, two.stdout], ['one\n', '', 'two\n']);
  assert.equal(await host.upload(place, artifact), 'sent');
  assert.equal(await host.upload(place, artifact), 'there');
});

test('aborting a host ends its queries and sends no more', async () => {
  const { transport, clock, faults } = testHost();
  const controller = new AbortController();
  const host = openHost({ transport, clock, user: 'm1', redactor: createRedactor(), signal: controller.signal });
  faults.add({ kind: 'command', fault: { type: 'hang' } });
  const looking = host.query(['/bin/echo', 'one']);
  await clock.settle();
  controller.abort(new Error('shutting down'));
  await assert.rejects(looking, { message: 'shutting down' });
  await assert.rejects(host.query(['/bin/echo', 'two']), { message: 'shutting down' });
  assert.equal(transport.roundTrips, 1);
});

test('queries to a host that never answers all time out together', async () => {
  const { host, clock, faults } = testHost();
  faults.add({ kind: 'command', fault: { type: 'hang' } });
  const started = clock.now();
  const looks = Promise.allSettled(['one', 'two', 'three'].map(word => host.query(['/bin/echo', word])));
  for (const look of await passTime(clock, looks)) assert.equal(look.status, 'rejected');
  assert.ok(clock.now() - started <= 31_000);
});
