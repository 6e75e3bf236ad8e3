import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planRemoval, planStep } from '../../engine/step.ts';
import { convergeStep, testHost } from '../../testing/index.ts';
import { killedAtEveryCommand } from '../../testing/killed-at-every-command.ts';
import { buildCache } from './build-cache.ts';

const want = { directory: '/opt/tuist-build-cache', variable: 'TUIST_MIX_BUILD_ROOT', owner: 'm1' };
const step = planStep(buildCache, want);
const off = planRemoval(buildCache);

test('a fresh Mac gets the cache directory, and an SSH command sees its variable', async () => {
  const { host, transport, journal } = testHost();
  const { before, after } = await convergeStep(host, step);
  assert.deepEqual(before, {
    state: 'drift',
    differences: ['/opt/tuist-build-cache is missing', '/etc/zshenv contains the block 0 times, expected once'],
  });
  assert.equal(after.state, 'current');
  const seen = await host.run(['/bin/zsh', '-c', 'echo $TUIST_MIX_BUILD_ROOT && touch $TUIST_MIX_BUILD_ROOT/mine']);
  assert.deepEqual([seen.stdout, seen.exitCode], ['/opt/tuist-build-cache\n', 0]);
  const sent = transport.roundTrips;
  assert.equal((await convergeStep(host, step)).before.state, 'current');
  assert.equal(transport.roundTrips - sent, 1);
  assert.deepEqual(journal.gaps, []);
});

test('a cache directory owned by root and a line without markers are repaired', async () => {
  const { host, mac, root } = testHost();
  mac.files.makeDirectory(root, want.directory, { parents: true });
  mac.files.write(root, '/etc/zshenv', '# theirs\nexport TUIST_MIX_BUILD_ROOT=/opt/tuist-build-cache\numask 022');
  const { before, after } = await convergeStep(host, step);
  assert.deepEqual(before.state === 'drift' && before.differences, [
    '/opt/tuist-build-cache is Directory root:wheel 755, expected Directory m1:staff 755',
    '/etc/zshenv contains the block 0 times, expected once',
    '/etc/zshenv sets TUIST_MIX_BUILD_ROOT once outside the block',
  ]);
  assert.equal(after.state, 'current');
  assert.match((await host.readText('/etc/zshenv')) ?? '', /\n# theirs\numask 022$/);
});

test('removing the build cache deletes directory and line only, and setup restores them', async () => {
  const { host, mac, root, journal } = testHost();
  mac.files.write(root, '/etc/zshenv', 'umask 022');
  await convergeStep(host, step);
  const { before, after, notes } = await convergeStep(host, off);
  assert.deepEqual(before.state === 'drift' && before.differences, [
    '/etc/zshenv sets TUIST_MIX_BUILD_ROOT to /opt/tuist-build-cache, expected no such line',
  ]);
  assert.equal(after.state, 'current');
  assert.deepEqual(notes, ['removed /opt/tuist-build-cache']);
  assert.equal(await host.readText('/etc/zshenv'), 'umask 022');
  assert.equal(mac.files.exists(root, want.directory), false);
  assert.equal((await convergeStep(host, off)).before.state, 'current');
  assert.equal((await convergeStep(host, step)).after.state, 'current');
  assert.deepEqual(journal.gaps, []);
});

test('a cache directory outside /opt is kept on removal, with a note', async () => {
  const { host, mac, root } = testHost();
  await convergeStep(host, planStep(buildCache, { ...want, directory: '/Users/m1/cache' }));
  const { after, notes } = await convergeStep(host, off);
  assert.equal(after.state, 'current');
  assert.deepEqual(notes, ['kept /Users/m1/cache: only a directory below /opt is removed']);
  assert.ok(mac.files.exists(root, '/Users/m1/cache'));
});

test('a file in place of the cache directory is an error, and /etc/zshenv is unchanged', async () => {
  const { host, mac, root } = testHost();
  mac.files.makeDirectory(root, '/opt', { parents: true });
  mac.files.write(root, want.directory, 'precious');
  await assert.rejects(convergeStep(host, step), { code: 'HOST_COMMAND_FAILED' });
  assert.equal(await host.readText('/etc/zshenv'), undefined);
  assert.equal(await host.readText(want.directory), 'precious');
});

test('on a full disk /etc/zshenv is unchanged and the error is HOST_DISK_FULL', async () => {
  const { host, mac, root } = testHost();
  mac.files.write(root, '/etc/zshenv', 'umask 022\n');
  mac.files.reserve(mac.files.space.free);
  await assert.rejects(convergeStep(host, step), { code: 'HOST_DISK_FULL' });
  assert.equal(await host.readText('/etc/zshenv'), 'umask 022\n');
});

test('build-cache: setup and removal resume after a connection lost at any command', async () => {
  await killedAtEveryCommand(() => ({ given: testHost(), steps: [step] }));
  const make = async () => {
    const made = testHost();
    await convergeStep(made.host, step);
    return made;
  };
  await killedAtEveryCommand(async () => ({ given: await make(), steps: [off] }));
});
