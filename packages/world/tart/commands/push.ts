import type { Call } from '../call.ts';
import type { Arguments } from '../command-line/parse.ts';
import { flag, option } from '../command-line/shape.ts';
import { UsageFailure } from '../failure.ts';
import { pullImage } from '../oci/pull-image.ts';
import { pushImage, pushManifest } from '../oci/push-image.ts';
import { registryClient } from '../oci/registry-client.ts';
import { openImage, readManifestFile } from '../storage/image-cache.ts';
import { openLocal } from '../storage/local-vms.ts';
import { parseRemoteName, type RemoteName } from '../storage/remote-name.ts';
import { type Command, first } from './command.ts';

export const push: Command = {
  shape: {
    name: 'push',
    about: 'Push a VM to a registry',
    positional: [
      { name: 'local-name', help: 'local or remote VM name' },
      { name: 'remote-names', help: 'remote VM name(s)', repeated: true },
    ],
    options: [
      flag('insecure'),
      option('concurrency', { integer: true }),
      option('chunk-size', { integer: true }),
      option('label', { repeated: true }),
      flag('populate-cache'),
    ],
  },
  async run(call, given) {
    const [source = '', ...names] = given.positional;
    const targets = names.map(name => {
      const remote = parseRemoteName(name);
      if (!remote) throw new UsageFailure(`<remote-names> should be remote names: ${name}`);
      return remote;
    });
    for (const target of targets) await pushTo(call, given, { source, target });
    if (!given.has('populate-cache')) return;
    // The real one copies from the local disk; the result in the cache is the same.
    for (const target of targets) await pullImage(call, target, { insecure: given.has('insecure') });
  },
};

interface Route {
  readonly source: string;
  readonly target: RemoteName;
}

async function pushTo(call: Call, given: Arguments, { source, target }: Route): Promise<void> {
  const client = registryClient(call, target.host, { insecure: given.has('insecure') });
  const cached = parseRemoteName(source);
  if (cached) return pushManifest({ call, client, name: target }, readManifestFile(openImage(call, cached)));
  const labels = Object.fromEntries(given.all('label').map(each => each.split(/=(.*)/s).slice(0, 2)));
  return pushImage({ call, client, bundle: openLocal(call, source), vm: first(given), name: target, labels });
}
