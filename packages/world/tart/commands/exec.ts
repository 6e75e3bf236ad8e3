import { flag } from '../command-line/shape.ts';
import { notRunning } from '../failure.ts';
import { openLocal, stateOf } from '../storage/local-vms.ts';
import { type Command, first, VM_NAME } from './command.ts';

export const exec: Command = {
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
