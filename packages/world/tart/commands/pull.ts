import { rmSync } from 'node:fs';
import { flag, option, type TartArguments } from '../command-line/parse-arguments.ts';
import { keychainItem, storeInKeychain } from '../oci/credentials.ts';
import { pullImage } from '../oci/pull-image.ts';
import { pushImage, pushManifest } from '../oci/push-image.ts';
import { probeRegistry, registryClient } from '../oci/registry-client.ts';
import {
  cachedDigest,
  formatRemoteName,
  openImage,
  parseRemoteName,
  type RemoteName,
  readManifestFile,
  withDigest,
} from '../storage/image-cache.ts';
import { openLocal } from '../storage/local-vms.ts';
import { doesNotExist, type TartCall, TartFailure, TartUsageFailure } from '../tart-call.ts';
import { first, REMOTE_NAME, type TartCommand, VM_NAME } from './tart-command.ts';

export const push: TartCommand = {
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
      if (!remote) throw new TartUsageFailure(`<remote-names> should be remote names: ${name}`);
      return remote;
    });
    for (const target of targets) await pushTo(call, given, { source, target });
    if (!given.has('populate-cache')) return;
    // The real tool copies from the local disk; the result in the cache is the same.
    for (const target of targets) await pullImage(call, target, { insecure: given.has('insecure') });
  },
};

interface PushRoute {
  readonly source: string;
  readonly target: RemoteName;
}

async function pushTo(call: TartCall, given: TartArguments, { source, target }: PushRoute): Promise<void> {
  const client = registryClient(call, target.host, { insecure: given.has('insecure') });
  const cached = parseRemoteName(source);
  if (cached) return pushManifest({ call, client, name: target }, readManifestFile(openImage(call, cached)));
  const labels = Object.fromEntries(given.all('label').map(each => each.split(/=(.*)/s).slice(0, 2)));
  return pushImage({ call, client, bundle: openLocal(call, source), vm: first(given), name: target, labels });
}

const HOST = { name: 'host', help: 'host' } as const;

/** Writes to the login keychain, which prompts at the screen: impossible in a LaunchAgent (I25). */
export const login: TartCommand = {
  shape: {
    name: 'login',
    about: 'Login to a registry',
    positional: [HOST],
    options: [option('username'), flag('password-stdin'), flag('insecure'), flag('no-validate')],
  },
  async run(call, given) {
    const username = given.text('username');
    if ((username !== undefined) !== given.has('password-stdin')) {
      throw new TartUsageFailure('both --username and --password-stdin are required');
    }
    if (username === undefined) {
      call.around.journal.unmodelled('tart', 'login: prompt at the terminal');
      throw new TartFailure('failed to read username: end of file');
    }
    const credentials = { username, password: (await readAll(call.process.stdin)).replace(/\r?\n$/, '') };
    const host = first(given);
    if (!given.has('no-validate')) {
      const refusal = await probeRegistry(call, host, { insecure: given.has('insecure'), credentials });
      if (refusal !== undefined) throw new TartFailure(`invalid credentials: ${refusal}`);
    }
    storeInKeychain(call, host, credentials);
  },
};

export const logout: TartCommand = {
  shape: { name: 'logout', about: 'Logout from a registry', positional: [HOST], options: [] },
  run: (call, given) => rmSync(keychainItem(call, first(given)), { force: true }),
};

async function readAll(stream: AsyncIterable<Buffer | string>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk.toString();
  return text;
}

export const fqn: TartCommand = {
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

export const pull: TartCommand = {
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
