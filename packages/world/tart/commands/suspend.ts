import { Failure } from '../failure.ts';
import { openLocal, stateOf } from '../storage/local-vms.ts';
import { type Command, first, VM_NAME } from './command.ts';
import { signal } from './stop.ts';

export const suspend: Command = {
  shape: { name: 'suspend', about: 'Suspend a VM', positional: [VM_NAME], options: [] },
  run(call, given) {
    const name = first(given);
    const bundle = openLocal(call, name);
    // The real tool nests its own text (facts 10.2).
    if (stateOf(call, { name, bundle }) !== 'running') {
      throw new Failure(`VM "VM "${name}" is not running" is not running`, 2);
    }
    signal(call, bundle, 'SIGUSR1');
  },
};
