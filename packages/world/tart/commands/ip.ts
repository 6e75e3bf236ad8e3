import { pause, seconds } from '@minifleet/clock';
import { flag, option } from '../command-line/parse-arguments.ts';
import { addressOf } from '../guest/lease-file.ts';
import { type Bundle, readConfig } from '../storage/bundle.ts';
import { openLocal, stateOf } from '../storage/local-vms.ts';
import { notRunning, type TartCall, TartFailure } from '../tart-call.ts';
import { first, type TartCommand, VM_NAME } from './tart-command.ts';

export const exec: TartCommand = {
  shape: {
    name: 'exec',
    about: 'Execute a command in a running VM',
    positional: [VM_NAME, { name: 'command', help: 'command to execute', passthrough: true }],
    options: [flag('interactive', 'i'), flag('tty', 't')],
  },
  async run(call, given) {
    const vm = first(given);
    const bundle = openLocal(call, vm);
    if (stateOf(call, { name: vm, bundle }) !== 'running') throw notRunning(vm);
    const [, name = '', ...args] = given.positional;
    const tty = given.has('tty');
    const { execInGuest } = await import('../guest/agent-client.ts');
    const terminalSize = tty ? call.process.terminal : undefined;
    return execInGuest(call, bundle, { name, args, interactive: given.has('interactive'), tty, terminalSize });
  },
};

/** Reads the lease file, so it still returns the address of a halted guest while the lease is valid. */
export const ip: TartCommand = {
  shape: {
    name: 'ip',
    about: "Get VM's IP address",
    positional: [VM_NAME],
    options: [option('wait', { integer: true }), option('resolver', { oneOf: ['dhcp', 'arp', 'agent'] })],
  },
  async run(call, given) {
    const name = first(given);
    const bundle = openLocal(call, name);
    const resolver = given.text('resolver') ?? 'dhcp';
    if (resolver === 'arp') call.around.journal.unmodelled('tart', 'ip --resolver arp: answered from the lease file');
    const attempts = given.integer('wait') ?? 0;
    for (let attempt = 0; ; attempt++) {
      const address =
        resolver === 'agent' ? await askAgent(bundle, call) : addressOf(call, readConfig(bundle).macAddress);
      if (address !== undefined) return call.out(address);
      // One pause even without --wait (facts 10.5).
      await pause(call.around.clock, seconds(1));
      if (attempt >= attempts) break;
    }
    throw new TartFailure(`no IP address found${hint(call, { name, bundle, resolver })}`);
  },
};

async function askAgent(bundle: Bundle, call: TartCall): Promise<string | undefined> {
  const { resolveAddress } = await import('../guest/agent-client.ts');
  return resolveAddress(call, bundle);
}

function hint(
  call: TartCall,
  vm: { readonly name: string; readonly bundle: Bundle; readonly resolver: string },
): string {
  if (stateOf(call, vm) !== 'running') return ', is your VM running?';
  return vm.resolver === 'agent' ? ', is the Tart Guest Agent running?' : '';
}
