import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { HOST_KEY_REFUSED } from '@minifleet/host';
import { Secret } from '@minifleet/secret';
import { memoryServer, memoryVendor } from '@minifleet/vendors/testing';
import type { HostAccess, MachineCredentials } from '../../credentials/credentials.ts';
import { machineOf, nodeOf } from '../../join/testing/machine.ts';
import type { MachineParts } from '../parts.ts';
import type { MachineScope } from '../scope.ts';
import { credentialsReady } from './credentials.ts';

const password = new Secret('p', 'pass');
const fleetKey = { name: 'k', publicKey: 'ssh-ed25519 A', privateKey: new Secret('k', 'private') };

interface Given {
  readonly access?: Partial<HostAccess>;
  readonly bootstrapped?: boolean;
  readonly joined?: boolean;
  readonly ownMac?: boolean;
  readonly refused?: boolean;
}

async function runPhase({ access = {}, bootstrapped = false, joined = false, ownMac = false, refused = false }: Given) {
  const asked: boolean[] = [];
  const credentials: Partial<MachineCredentials> = {
    fleetKey: async (_, options) => {
      asked.push(options?.refused ?? false);
      return fleetKey;
    },
    hostAccess: async () => ({ user: 'm1', passwordRejected: false, ...access }),
  };
  const vendor = memoryVendor({ can: { reinstall: !ownMac } });
  const error = HOST_KEY_REFUSED({ address: '203.0.113.1' });
  const work = { of: () => (refused ? { state: { kind: 'failed', error, hostKey: undefined } } : undefined) };
  const parts = { credentials, work, vendors: { for: async () => vendor } } as unknown as MachineParts;
  const status = bootstrapped ? { plan: { applied: 'p' } } : {};
  const scope = {
    samm: machineOf('a', { status }),
    node: joined ? nodeOf('a') : undefined,
    found: { server: memoryServer(1) },
  } as unknown as MachineScope;
  return { end: await credentialsReady.run(scope, parts), found: scope.found, asked };
}

const cases: readonly {
  readonly name: string;
  readonly given: Given;
  readonly end: string;
  readonly words?: RegExp;
}[] = [
  { name: 'a password', given: { access: { password } }, end: 'passed CredentialsReady' },
  {
    name: 'no password of a host that was never set up',
    given: {},
    end: 'waiting PasswordMissing',
    words: /write it to the key sudo-password of the Secret fleet\/a-bootstrap, or reinstall the host/,
  },
  {
    name: 'no password of a host whose sudo needs none since its first run',
    given: { bootstrapped: true },
    end: 'passed CredentialsReady',
  },
  { name: 'no password of a host that is a Node already', given: { joined: true }, end: 'passed CredentialsReady' },
  {
    name: 'no password of a Mac of one’s own, which is prepared by hand',
    given: { ownMac: true },
    end: 'passed CredentialsReady',
  },
  {
    name: 'I34 a refused password',
    given: { access: { password, passwordRejected: true } },
    end: 'waiting PasswordRejected',
    words: /does not try it again; write the correct one to the key sudo-password of the Secret fleet\/a-bootstrap/,
  },
  {
    name: 'I34 a refused password of a host that needs none',
    given: { access: { password, passwordRejected: true }, bootstrapped: true },
    end: 'passed CredentialsReady',
    words: /does not try it again/,
  },
];

describe('CredentialsReady', () => {
  for (const { name, given, end: expected, words } of cases) {
    test(`${name}: ${expected}`, async () => {
      const { end, found } = await runPhase(given);
      assert.equal(`${end.kind} ${end.reason}`, expected);
      assert.equal(end.again, end.kind === 'waiting' ? minutes(5) : undefined);
      if (words) assert.match(end.message ?? '', words);
      assert.deepEqual([found.fleetKey, found.access?.user], [fleetKey, 'm1']);
    });
  }

  test('the vendor is asked for the key once more when a host refused it', async () => {
    assert.deepEqual((await runPhase({ refused: true })).asked, [true]);
    assert.deepEqual((await runPhase({})).asked, [false]);
  });
});
