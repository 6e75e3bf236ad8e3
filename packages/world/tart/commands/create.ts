import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { flag, option } from '../command-line/shape.ts';
import { UsageFailure } from '../failure.ts';
import { GB } from '../host/host-file.ts';
import { writeConfig, writeFacts } from '../storage/bundle.ts';
import { localBundle } from '../storage/local-vms.ts';
import { makeTemporary } from '../storage/temporary.ts';
import { newConfig } from '../storage/vm-config.ts';
import { type Command, first, VM_NAME } from './command.ts';

const DEFAULT_GIGABYTES = 50;
/** What a freshly installed macOS takes (derived). */
const MACOS_BYTES = 18 * GB;

/** Replaces a VM of that name. The installation from an IPSW is not modelled beyond its result. */
export const create: Command = {
  shape: {
    name: 'create',
    about: 'Create a VM',
    positional: [VM_NAME],
    options: [
      option('from-ipsw', { value: 'path' }),
      flag('linux'),
      option('disk-size', { integer: true }),
      option('disk-format', { oneOf: ['raw', 'asif'] }),
    ],
  },
  run(call, given) {
    if (given.text('from-ipsw') === undefined && !given.has('linux')) {
      throw new UsageFailure('Please specify either a --from-ipsw or --linux option!');
    }
    const os = given.has('linux') ? 'linux' : 'darwin';
    const temporary = makeTemporary(call);
    const { bundle } = temporary;
    const format = given.text('disk-format') === 'asif' ? 'asif' : 'raw';
    writeConfig(bundle, { ...newConfig(os, call.around.chance), diskFormat: format });
    writeFileSync(bundle.disk, call.around.chance.hex(64));
    writeFileSync(bundle.nvram, call.around.chance.hex(64));
    const facts = {
      diskBytes: (given.integer('disk-size') ?? DEFAULT_GIGABYTES) * GB,
      allocatedBytes: os === 'darwin' ? MACOS_BYTES : 0,
      content: call.around.chance.uuid(),
    };
    writeFacts(bundle, facts, call.around.clock.now());
    const target = localBundle(call, first(given));
    mkdirSync(target.directory, { recursive: true });
    rmSync(target.directory, { recursive: true, force: true });
    renameSync(bundle.directory, target.directory);
    temporary.release();
  },
};
