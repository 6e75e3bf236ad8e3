import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { type ExitFacts, judgeExit } from './judge-exit.ts';
import { isOrdinary, readVmEnding } from './vm.ts';

const vm = { exitCode: 0, signal: undefined, ending: undefined, lastOutput: '' } as const;
const none = { state: 'none' } as const;
const unfinished = { state: 'unfinished' } as const;
const exited = (code: number) => ({ state: 'exited', code }) as const;
const lost = { state: 'lost', why: 'the stream ended' } as const;
const boot = { stage: 'agent', within: seconds(90) } as const;

const rows: readonly (readonly [string, Partial<ExitFacts>, string])[] = [
  ['a process that ends with 0 has completed', { process: exited(0) }, '0 Completed'],
  ['the exit code of a process is that of the container', { process: exited(7) }, '7 Error'],
  ['a process ended by a signal without a stop', { process: exited(-1) }, '137 Error'],
  ['a process ended by the SIGTERM of a stop', { process: exited(-1), stopped: true }, '143 Error'],
  ['a process that ends with 0 during a stop', { process: exited(0), stopped: true }, '0 Completed'],
  [
    'a VM crash after the end of the process is ignored',
    { process: exited(0), vm: { ...vm, ending: 'crashed' } },
    '0 Completed',
  ],
  ['I38 a VM crash with exit code 0 of tart run', { vm: { ...vm, ending: 'crashed' } }, '1 VMCrashed'],
  ['I38 a VM crash under a running process', { process: unfinished, vm: { ...vm, ending: 'crashed' } }, '1 VMCrashed'],
  ['I38 a lost network with exit code 0 of tart run', { vm: { ...vm, ending: 'network lost' } }, '1 NetworkLost'],
  ['a VM crash during a stop', { stopped: true, vm: { ...vm, ending: 'crashed' } }, '1 VMCrashed'],
  ['a VM without a process that halts', { vm: { ...vm, ending: 'halted' } }, '0 Completed'],
  [
    'a VM without a process that halts during a stop',
    { stopped: true, vm: { ...vm, ending: 'halted' } },
    '0 Completed',
  ],
  [
    'a guest that halts under its running process',
    { process: unfinished, vm: { ...vm, ending: 'halted' } },
    '137 Killed',
  ],
  [
    'a process that outlasts its grace period',
    { process: unfinished, stopped: true, vm: { ...vm, ending: 'halted' } },
    '137 Killed',
  ],
  ['a process whose stream is lost', { process: lost, vm: { ...vm, ending: 'power cut' } }, '137 Error'],
  [
    'a process lost with a killed VM',
    { process: lost, vm: { ...vm, exitCode: undefined, signal: 'SIGKILL' } },
    '137 Killed',
  ],
  ['a process lost by a VM crash', { process: lost, vm: { ...vm, ending: 'crashed' } }, '1 VMCrashed'],
  [
    'a guest that halts before it has booted',
    { startedAt: undefined, vm: { ...vm, ending: 'halted' } },
    '128 StartFailed',
  ],
  ['a guest that ignores its shutdown', { stopped: true, vm: { ...vm, ending: 'power cut' } }, '137 Killed'],
  ['a VM that another program stopped', { vm: { ...vm, ending: 'power cut' } }, '137 Killed'],
  ['a tart run that is killed', { vm: { ...vm, exitCode: undefined, signal: 'SIGKILL' } }, '137 Killed'],
  [
    'a VM that does not start',
    { startedAt: undefined, vm: { ...vm, exitCode: 1, lastOutput: 'limit' } },
    '128 StartFailed',
  ],
  [
    'I40 a VM that does not boot',
    { startedAt: undefined, bootTimedOut: boot, vm: { ...vm, ending: 'power cut' } },
    '128 BootTimedOut',
  ],
  ['a guest stopped during its boot', { startedAt: undefined, stopped: true, bootTimedOut: boot }, '137 Killed'],
];

for (const [name, facts, expected] of rows) {
  test(`${name}: ${expected}`, () => {
    const exit = judgeExit({ vm, startedAt: 1, finishedAt: 2, stopped: false, process: none, ...facts });
    assert.equal(`${exit.exitCode} ${exit.reason}`, expected);
  });
}

test('I40 BootTimedOut names the stage in which the boot is stuck', () => {
  const exit = judgeExit({
    vm,
    startedAt: undefined,
    finishedAt: 2,
    stopped: false,
    process: none,
    bootTimedOut: boot,
  });
  assert.equal(exit.message, 'the guest has an address, but its agent did not answer within 1m30s (stage agent)');
});

test('a guest whose start failed has the last output of tart run in its message', () => {
  const lastOutput = 'The number of VMs exceeds the system limit (other running VMs: a, b)';
  const facts = { startedAt: undefined, finishedAt: 2, stopped: false, process: none };
  assert.equal(judgeExit({ ...facts, vm: { ...vm, exitCode: 1, lastOutput } }).message, lastOutput);
});

test('VM endings are read from whole lines of tart run, which a guest cannot imitate', () => {
  assert.equal(readVmEnding('guest has stopped the virtual machine'), 'halted');
  assert.equal(readVmEnding('guest has stopped the virtual machine due to error: x'), 'crashed');
  assert.equal(readVmEnding('Stopping VM...'), 'power cut');
  assert.equal(readVmEnding('my guest has stopped the virtual machine'), undefined);
  assert.ok(isOrdinary('Stopping VM...') && !isOrdinary('guest has stopped the virtual machine due to error: x'));
});
