import { rmSync } from 'node:fs';
import { flag, option } from '../command-line/shape.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { keychainItem, storeInKeychain } from '../oci/keychain.ts';
import { probeRegistry } from '../oci/registry-client.ts';
import { type Command, first } from './command.ts';

const HOST = { name: 'host', help: 'host' } as const;

/** Writes to the login keychain, which asks for leave at the screen: impossible in a LaunchAgent (I25). */
export const login: Command = {
  shape: {
    name: 'login',
    about: 'Login to a registry',
    positional: [HOST],
    options: [option('username'), flag('password-stdin'), flag('insecure'), flag('no-validate')],
  },
  async run(call, given) {
    const username = given.text('username');
    if ((username !== undefined) !== given.has('password-stdin')) {
      throw new UsageFailure('both --username and --password-stdin are required');
    }
    if (username === undefined) {
      call.around.journal.unmodelled('tart', 'login that asks at the terminal');
      throw new Failure('failed to read username: end of file');
    }
    const credentials = { username, password: (await readAll(call.process.stdin)).replace(/\r?\n$/, '') };
    const host = first(given);
    if (!given.has('no-validate')) {
      const refusal = await probeRegistry(call, host, { insecure: given.has('insecure'), credentials });
      if (refusal !== undefined) throw new Failure(`invalid credentials: ${refusal}`);
    }
    storeInKeychain(call, host, credentials);
  },
};

export const logout: Command = {
  shape: { name: 'logout', about: 'Logout from a registry', positional: [HOST], options: [] },
  run: (call, given) => rmSync(keychainItem(call, first(given)), { force: true }),
};

async function readAll(stream: AsyncIterable<Buffer | string>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk.toString();
  return text;
}
