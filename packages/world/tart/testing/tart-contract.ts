import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@minifleet/clock/testing';
import type { StartedTart, TartResult, TartUnderTest } from './make-tart.ts';

/**
 * One behaviour the node agent relies on. Only Linux VMs without an operating system are used, so a real Mac needs no
 * image for it.
 */
interface TartBehaviour {
  readonly name: string;
  check(tart: TartUnderTest): Promise<void>;
}

const createVm = async (tart: TartUnderTest, name: string): Promise<void> => {
  const made = await tart.call(['create', name, '--linux', '--disk-size', '1']);
  assert.equal(made.code, 0, made.stderr);
};

const list = async (tart: TartUnderTest): Promise<readonly Record<string, unknown>[]> =>
  JSON.parse((await tart.call(['list', '--format', 'json'])).stdout) as Record<string, unknown>[];

const runVm = async (tart: TartUnderTest, name: string): Promise<StartedTart> => {
  const running = tart.start(['run', name, '--no-graphics']);
  await eventually(async () => (await list(tart)).find(vm => vm['Name'] === name)?.['Running'] === true);
  return running;
};

const says = (outcome: TartResult, code: number, text: string): void => {
  assert.deepEqual({ code: outcome.code, stderr: outcome.stderr.trimEnd() }, { code, stderr: text });
};

export const tartContract: readonly TartBehaviour[] = [
  {
    name: 'commands on an unknown VM exit with 2 and report it',
    async check(tart) {
      for (const argv of [
        ['get', 'x'],
        ['stop', 'x'],
        ['delete', 'x'],
        ['ip', 'x'],
      ]) {
        says(await tart.call(argv), 2, 'the specified VM "x" does not exist');
      }
    },
  },
  {
    name: 'run of an unknown VM exits with 1, because it is checked with the arguments',
    check: async tart => says(await tart.call(['run', 'x']), 1, 'Error: the specified VM "x" does not exist'),
  },
  {
    name: 'an invalid command line exits with 64 and prints the usage',
    async check(tart) {
      for (const argv of [['stop'], ['list', '--source', 'moon'], ['prune'], ['create', 'x'], ['clone', 'a', 'b/c']]) {
        const outcome = await tart.call(argv);
        assert.equal(outcome.code, 64, argv.join(' '));
        assert.match(outcome.stderr, /^Error: .*\n[\s\S]*Usage: tart /);
      }
    },
  },
  {
    name: 'list without VMs prints an empty array over three lines, and an empty line as text',
    async check(tart) {
      assert.equal((await tart.call(['list', '--format', 'json'])).stdout, '[\n\n]\n');
      assert.equal((await tart.call(['list'])).stdout, '\n');
    },
  },
  {
    name: 'Size is a number in list and a string in get',
    async check(tart) {
      await createVm(tart, 'size');
      const [vm] = await list(tart);
      assert.equal(typeof vm?.['Size'], 'number');
      const got = await tart.call(['get', 'size', '--format', 'json']);
      assert.match(got.stdout, /"Size" : "\d+\.\d{3}"/);
    },
  },
  {
    name: 'stop of a stopped VM exits with 2',
    async check(tart) {
      await createVm(tart, 'idle');
      says(await tart.call(['stop', 'idle']), 2, 'VM "idle" is not running');
      says(await tart.call(['suspend', 'idle']), 2, 'VM "VM "idle" is not running" is not running');
    },
  },
  {
    name: 'a running VM cannot be run, deleted or pushed; after stop its process exits with 0',
    async check(tart) {
      await createVm(tart, 'busy');
      const running = await runVm(tart, 'busy');
      says(await tart.call(['run', 'busy']), 2, 'VM "busy" is already running!');
      says(await tart.call(['delete', 'busy']), 1, 'VM "busy" is running');
      says(await tart.call(['push', 'busy', '127.0.0.1:1/acme/busy:1']), 1, 'VM "busy" is running');
      assert.equal((await tart.call(['stop', 'busy'])).code, 0);
      assert.equal((await running.outcome).code, 0);
      assert.equal((await tart.call(['delete', 'busy'])).code, 0);
    },
  },
  {
    name: 'a killed run leaves the VM stopped immediately',
    async check(tart) {
      await createVm(tart, 'killed');
      const running = await runVm(tart, 'killed');
      running.process.kill('SIGKILL');
      assert.equal((await running.outcome).signal, 'SIGKILL');
      assert.equal((await list(tart)).find(vm => vm['Name'] === 'killed')?.['State'], 'stopped');
    },
  },
  {
    name: 'run does not handle SIGTERM',
    async check(tart) {
      await createVm(tart, 'terminated');
      const running = await runVm(tart, 'terminated');
      running.process.kill('SIGTERM');
      assert.equal((await running.outcome).signal, 'SIGTERM');
    },
  },
  {
    name: 'clone silently replaces a VM of the same name; rename refuses to',
    async check(tart) {
      await createVm(tart, 'one');
      await createVm(tart, 'two');
      assert.equal((await tart.call(['rename', 'one', 'two'])).code, 64);
      const cloned = await tart.call(['clone', 'one', 'two']);
      assert.deepEqual([cloned.code, cloned.stdout, cloned.stderr], [0, '', '']);
    },
  },
  {
    name: 'an incomplete bundle is not listed; get reports it, delete only if config.json is missing',
    async check(tart) {
      await createVm(tart, 'half');
      rmSync(join(tart.home, 'vms', 'half', 'config.json'));
      assert.deepEqual(await list(tart), []);
      says(await tart.call(['get', 'half']), 1, 'VM is missing some of its files (config.json, disk.img or nvram.bin)');
      says(await tart.call(['delete', 'half']), 2, 'the specified VM "half" does not exist');
      assert.ok(existsSync(join(tart.home, 'vms', 'half', 'disk.img')));
    },
  },
  {
    name: 'every command but pull and clone removes unlocked entries in tmp',
    async check(tart) {
      await createVm(tart, 'source');
      const left = join(tart.home, 'tmp', '0cc175b9c0f1b6a831c399e269772661');
      mkdirSync(left, { recursive: true });
      writeFileSync(join(left, 'disk.img'), 'partial');
      await tart.call(['clone', 'source', 'copy']);
      assert.ok(existsSync(left));
      await tart.call(['list']);
      assert.deepEqual(readdirSync(join(tart.home, 'tmp')), []);
    },
  },
  {
    name: 'pull of a local name does nothing',
    async check(tart) {
      const outcome = await tart.call(['pull', 'local']);
      assert.deepEqual([outcome.code, outcome.stdout], [0, '"local" is a local image, nothing to pull here!\n']);
    },
  },
];
