import { existsSync, renameSync } from 'node:fs';
import { UsageFailure } from '../failure.ts';
import { complete } from '../storage/bundle.ts';
import { localBundle } from '../storage/local-vms.ts';
import { type Command, first, second } from './command.ts';

export const rename: Command = {
  shape: {
    name: 'rename',
    about: 'Rename a local VM',
    positional: [
      { name: 'name', help: 'VM name' },
      { name: 'new-name', help: 'new VM name' },
    ],
    options: [],
  },
  run(call, given) {
    const [from, to] = [first(given), second(given)];
    if (to.includes('/')) throw new UsageFailure('<new-name> should be a local name');
    const source = localBundle(call, from);
    if (!complete(source)) throw new UsageFailure(`failed to rename a non-existent VM: ${from}`);
    const target = localBundle(call, to);
    if (existsSync(target.directory)) {
      throw new UsageFailure(`failed to rename VM ${from}, target VM ${to} already exists, delete it first!`);
    }
    renameSync(source.directory, target.directory);
  },
};
