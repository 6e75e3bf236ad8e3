import { flag, option } from '../command-line/shape.ts';
import { pullImage } from '../oci/pull-image.ts';
import { parseRemoteName } from '../storage/remote-name.ts';
import { type Command, first, REMOTE_NAME } from './command.ts';

export const pull: Command = {
  shape: {
    name: 'pull',
    about: 'Pull a VM from a registry',
    positional: [REMOTE_NAME],
    options: [flag('insecure'), option('concurrency', { integer: true }), flag('deduplicate')],
  },
  async run(call, given) {
    const remote = parseRemoteName(first(given));
    if (!remote) return call.out(`"${first(given)}" is a local image, nothing to pull here!`);
    await pullImage(call, remote, { insecure: given.has('insecure') });
  },
};
