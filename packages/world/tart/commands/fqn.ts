import { doesNotExist } from '../failure.ts';
import { cachedDigest } from '../storage/image-cache.ts';
import { formatRemoteName, parseRemoteName, withDigest } from '../storage/remote-name.ts';
import { type Command, first, VM_NAME } from './command.ts';

export const fqn: Command = {
  shape: { name: 'fqn', about: 'Get a fully-qualified VM name', hidden: true, positional: [VM_NAME], options: [] },
  run(call, given) {
    const name = first(given);
    const remote = parseRemoteName(name);
    if (!remote) return call.out(name);
    const digest = cachedDigest(call, remote);
    if (digest === undefined) throw doesNotExist(name);
    call.out(formatRemoteName(withDigest(remote, digest)));
  },
};
