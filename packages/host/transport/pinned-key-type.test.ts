import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { seconds, systemClock } from '@minifleet/clock';
import { Secret } from '@minifleet/secret';
import ssh2 from 'ssh2';
import { testKey } from '../testing/contract/test-key.ts';
import { sshFingerprint } from './ssh-keys.ts';
import { openSshTransport } from './ssh-transport.ts';

const key = testKey();
/** A client that requests no type gets the first of these two. */
const ecdsa = testKey().private;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  .privateKey.export({ type: 'pkcs1', format: 'pem' })
  .toString();

function fingerprintOf(privateKey: string): string {
  const [parsed] = [ssh2.utils.parseKey(privateKey)].flat();
  assert.ok(parsed && !(parsed instanceof Error));
  return sshFingerprint(parsed.getPublicSSH());
}

/** A host with keys of two types, that accepts every login and command. */
async function hostWithTwoKeys(context: TestContext): Promise<number> {
  const server = new ssh2.Server({ hostKeys: [ecdsa, rsa] }, client => {
    client.on('authentication', login => login.accept()).on('error', () => undefined);
    client.on('session', accept =>
      accept().on('exec', start => {
        const channel = start();
        channel.exit(0);
        channel.end();
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function contact(context: TestContext, pinned: string): Promise<string | undefined> {
  const port = await hostWithTwoKeys(context);
  const transport = openSshTransport({
    ...{ address: '127.0.0.1', port, user: 'm1', clock: systemClock },
    privateKey: new Secret('the key of the test', key.private),
    hostKey: { pinned },
  });
  try {
    const outcome = await transport.run({ argv: ['/usr/bin/true'], deadline: seconds(20) });
    return outcome.kind === 'unreached' ? outcome.error.code : transport.hostKey;
  } finally {
    await transport.close();
  }
}

test('a host is reached whose pin is not of the key that it shows first', async context => {
  assert.equal(await contact(context, fingerprintOf(rsa)), fingerprintOf(rsa));
});

test('a host is reached whose pin is of the key that it shows first', async context => {
  assert.equal(await contact(context, fingerprintOf(ecdsa)), fingerprintOf(ecdsa));
});

test('a pin of none of the keys of a host is a changed identity', async context => {
  assert.equal(await contact(context, sshFingerprint(Buffer.from('another host'))), 'HOST_IDENTITY_CHANGED');
});
