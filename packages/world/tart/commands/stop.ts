import { rmSync } from 'node:fs';
import { milliseconds, pause } from '@minifleet/clock';
import { option } from '../command-line/parse-arguments.ts';
import type { Bundle } from '../storage/bundle.ts';
import { openLocal, ownerOf, stateOf } from '../storage/local-vms.ts';
import { locked } from '../storage/lock.ts';
import { notRunning, type TartCall, TartFailure } from '../tart-call.ts';
import { first, type TartCommand, VM_NAME } from './tart-command.ts';

export const suspend: TartCommand = {
  shape: { name: 'suspend', about: 'Suspend a VM', positional: [VM_NAME], options: [] },
  run(call, given) {
    const name = first(given);
    const bundle = openLocal(call, name);
    // The real tool nests its own message (facts 10.2).
    if (stateOf(call, { name, bundle }) !== 'running') {
      throw new TartFailure(`VM "VM "${name}" is not running" is not running`, 2);
    }
    signal(call, bundle, 'SIGUSR1');
  },
};

const POLL = milliseconds(100);

/** A power cut, not a shutdown: SIGINT to the process that holds the lock, SIGKILL after the timeout. */
export const stop: TartCommand = {
  shape: {
    name: 'stop',
    about: 'Stop a VM',
    positional: [VM_NAME],
    options: [option('timeout', { short: 't', integer: true })],
  },
  async run(call, given) {
    const name = first(given);
    const bundle = openLocal(call, name);
    const state = stateOf(call, { name, bundle });
    if (state === 'suspended') return rmSync(bundle.snapshot, { force: true });
    if (state !== 'running') throw notRunning(name);
    signal(call, bundle, 'SIGINT');
    if (await released(call, bundle, (given.integer('timeout') ?? 30) * 1_000)) return;
    signal(call, bundle, 'SIGKILL');
    await released(call, bundle, 5_000);
  },
};

export function signal(call: TartCall, bundle: Bundle, name: NodeJS.Signals): void {
  const owner = ownerOf(bundle);
  if (owner === undefined) return;
  try {
    call.process.kill(owner, name);
  } catch {
    // The process exited in the meantime.
  }
}

async function released(call: TartCall, bundle: Bundle, within: number): Promise<boolean> {
  for (let waited = 0; waited <= within; waited += POLL) {
    if (!locked(bundle.lock)) return true;
    await pause(call.around.clock, POLL);
  }
  return false;
}
