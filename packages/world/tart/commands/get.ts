import { option } from '../command-line/shape.ts';
import { GB } from '../host/host-file.ts';
import { swiftJson } from '../output/swift-json.ts';
import { table } from '../output/table.ts';
import { readConfig, readFacts } from '../storage/bundle.ts';
import { openLocal, stateOf } from '../storage/local-vms.ts';
import { type Command, first, VM_NAME } from './command.ts';

/** Local names only; a remote one does not exist here. */
export const get: Command = {
  shape: {
    name: 'get',
    about: "Get a VM's configuration",
    positional: [VM_NAME],
    options: [option('format', { oneOf: ['text', 'json'] })],
  },
  run(call, given) {
    const name = first(given);
    const bundle = openLocal(call, name);
    const config = readConfig(bundle);
    const facts = readFacts(bundle);
    const state = stateOf(call, { name, bundle });
    const shown = {
      OS: config.os,
      CPU: config.cpuCount,
      Memory: Math.floor(config.memorySize / 1024 ** 2),
      Disk: Math.floor(facts.diskBytes / GB),
      DiskFormat: config.diskFormat,
      Size: (facts.allocatedBytes / GB).toFixed(3),
      Display: `${config.display.width}x${config.display.height}${config.display.unit ?? ''}`,
      Running: state === 'running',
      State: state,
    };
    if (given.text('format') === 'json') return call.out(swiftJson(shown, call.around.chance));
    const { Running: _, ...columns } = shown;
    call.out(table(Object.keys(columns), [Object.values(columns).map(value => `${value}`)]));
  },
};
