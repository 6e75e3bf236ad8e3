import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type PlistValue, readPlist } from '../../world/mac/unix/preferences/property-list.ts';
import { commandLine } from '../testing/command-line.ts';

const run = commandLine();
const folder = mkdtempSync(join(tmpdir(), 'minifleet-tcc-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const profile = (...options: readonly string[]) => run('tcc', 'profile', ...options);

type Dictionary = { readonly [key: string]: PlistValue };

/** What is in it, read by another reader than the one that wrote it. */
async function read(
  ...options: readonly string[]
): Promise<{ readonly top: Dictionary; readonly payloads: Dictionary[] }> {
  const { code, output, errors } = await profile(...options);
  assert.equal(code, 0, errors);
  const top = readPlist(output) as Dictionary;
  return { top, payloads: top['PayloadContent'] as unknown as Dictionary[] };
}

const PACKER = ['--identifier', '/opt/homebrew/Cellar/packer/1.14.2/bin/packer', '--team', 'ABCDE12345'];

describe('minifleet tcc profile', () => {
  test('manages the two lists of networks, and grants no program anything', async () => {
    const { top, payloads } = await read();
    const networks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];
    assert.deepEqual(
      payloads.map(({ PayloadType, PayloadContent }) => [PayloadType, PayloadContent]),
      [
        [
          'com.apple.ManagedClient.preferences',
          {
            'com.apple.network.local-network': {
              Forced: [
                {
                  mcx_preference_settings: {
                    AllowedEthernetLocalNetworkAddresses: networks,
                    AllowedWiFiLocalNetworkAddresses: networks,
                  },
                },
              ],
            },
          },
        ],
      ],
    );
    assert.deepEqual([top['PayloadType'], top['PayloadVersion'], top['PayloadScope']], ['Configuration', 1, 'System']);
  });

  test('is the same bytes each time, and another UUID once something else is wanted', async () => {
    const [one, two] = [await profile(...PACKER), await profile(...PACKER)];
    assert.equal(one.output, two.output);
    const uuids = new Set<string>();
    for (const options of [[], PACKER, ['--networks', '192.168.64.0/22']]) {
      const { top, payloads } = await read(...options);
      for (const uuid of [top, ...payloads].map(({ PayloadUUID }) => PayloadUUID as string)) {
        assert.match(uuid, /^[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-A[0-9A-F]{3}-[0-9A-F]{12}$/);
        uuids.add(uuid);
      }
    }
    assert.equal(uuids.size, 7);
  });

  test('lets a program at files by its signature, in no other words than Apple’s', async () => {
    const { top, payloads } = await read(...PACKER);
    assert.equal(top['PayloadIdentifier'], 'dev.minifleet.builder.opt-homebrew-Cellar-packer-1.14.2-bin-packer');
    const privacy = payloads[1];
    assert.equal(privacy?.['PayloadType'], 'com.apple.TCC.configuration-profile-policy');
    const program = {
      Identifier: '/opt/homebrew/Cellar/packer/1.14.2/bin/packer',
      IdentifierType: 'path',
      CodeRequirement: 'anchor apple generic and certificate leaf[subject.OU] = "ABCDE12345"',
      Allowed: true,
    };
    assert.deepEqual(privacy?.['Services'], {
      SystemPolicyNetworkVolumes: [program],
      SystemPolicyRemovableVolumes: [program],
    });
  });

  test('takes a bundle id, a requirement as codesign prints it, and the services that are named', async () => {
    const requirement = 'designated => identifier "com.example.vm" and info[<a&b>] = "1"\n';
    const { payloads } = await read(
      ...['--identifier', 'com.example.vm', '--requirement', requirement, '--services', 'SystemPolicyAllFiles'],
    );
    assert.deepEqual(payloads[1]?.['Services'], {
      SystemPolicyAllFiles: [
        {
          Identifier: 'com.example.vm',
          IdentifierType: 'bundleID',
          CodeRequirement: 'identifier "com.example.vm" and info[<a&b>] = "1"',
          Allowed: true,
        },
      ],
    });
    const byTeam = await read('--identifier', 'com.example.vm', '--team', 'ABCDE12345');
    assert.match(JSON.stringify(byTeam.payloads), /identifier \\"com\.example\.vm\\" and anchor apple generic and/);
  });

  test('into a file says what is in it and what comes next', async () => {
    const file = join(folder, 'builders.mobileconfig');
    const { code, output } = await profile(...PACKER, '-o', file);
    assert.equal(code, 0);
    assert.match(
      output,
      /^wrote .*: any program may reach 10\.0\.0\.0\/8, .* unasked, from the next boot of the Mac\n/,
    );
    assert.match(
      output,
      /packer is granted SystemPolicyNetworkVolumes, SystemPolicyRemovableVolumes, by its signature\n/,
    );
    assert.equal(readFileSync(file, 'utf8'), (await profile(...PACKER)).output);
  });

  const wrong: Readonly<Record<string, readonly [readonly string[], RegExp]>> = {
    'a program without a signature': [
      ['--identifier', 'com.example.vm'],
      /by its signature: give --team, or --requirement/,
    ],
    'an empty requirement': [['--identifier', 'com.example.vm', '--requirement', ' '], /give --team, or --requirement/],
    'a requirement of two lines': [
      ['--identifier', 'com.example.vm', '--requirement', 'Executable=/x\ndesignated => y'],
      /is one line: give the one after/,
    ],
    'a team that is none': [['--identifier', 'com.example.vm', '--team', 'me'], /me is no team id.*ABCDE12345/],
    'a signature of nobody': [['--team', 'ABCDE12345'], /say which program with --identifier/],
    'services for nobody': [['--services', 'SystemPolicyAllFiles'], /say which program with --identifier/],
    'a team and a requirement': [[...PACKER, '--requirement', 'anchor apple'], /cannot be used with/],
    'a name that is neither bundle id nor path': [
      ['--identifier', 'packer" or true', '--team', 'ABCDE12345'],
      /neither a bundle id nor a path/,
    ],
    'a service a profile cannot grant': [[...PACKER, '--services', 'Camera'], /cannot grant Camera here: choose among/],
    'I26 Local Network as a service': [
      [...PACKER, '--services', 'LocalNetwork'],
      /granted by --networks, for Apple has no service for it/,
    ],
    'a network that is none': [['--networks', '10.0.0.0/8,lan'], /lan is no network: write 192\.168\.0\.0\/16/],
    'a place that cannot be written': [['-o', '/nowhere/at/all'], /could not be written: ENOENT/],
  };
  for (const [name, [options, words]] of Object.entries(wrong))
    test(`${name} is a usage error that says what to do`, async () => {
      const { code, output, errors } = await profile(...options);
      assert.equal(code, 2);
      assert.match(errors, words);
      assert.equal(output, '');
    });

  test('--help says what Apple allows, and what nobody has tried', async () => {
    const { code, output } = await profile('--help');
    assert.equal(code, 0);
    assert.match(output, /Apple has no privacy service \(PPPC\) for Local Network/);
    assert.match(output, /try the profile on one Mac before you rely on it/);
  });
});
