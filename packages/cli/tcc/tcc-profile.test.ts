import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type PlistValue, readPlist } from '@minifleet/world/testing/mac';
import { commandLine } from '../testing/command-line.ts';

const run = commandLine();
const folder = mkdtempSync(join(tmpdir(), 'minifleet-tcc-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const profile = (...options: readonly string[]) => run('tcc', 'profile', ...options);

type Dictionary = { readonly [key: string]: PlistValue };

/** Parses the profile with a parser independent of the writer. */
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
  test('tcc profile manages the two network lists and grants no privacy service', async () => {
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

  test('tcc profile is deterministic and changes its UUID with its content', async () => {
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

  test('tcc profile grants file access by signature with Apple’s keys', async () => {
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

  test('tcc profile accepts a bundle id, the requirement of codesign and a list of services', async () => {
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

  test('tcc profile -o prints a summary and the next action', async () => {
    const file = join(folder, 'builders.mobileconfig');
    const { code, output } = await profile(...PACKER, '-o', file);
    assert.equal(code, 0);
    assert.match(output, /^Wrote .*: every program may reach 10\.0\.0\.0\/8, .* after the next boot\n/);
    assert.match(
      output,
      /packer is granted SystemPolicyNetworkVolumes, SystemPolicyRemovableVolumes, identified by its signature\n/,
    );
    assert.equal(readFileSync(file, 'utf8'), (await profile(...PACKER)).output);
  });

  const wrong: Readonly<Record<string, readonly [readonly string[], RegExp]>> = {
    'a program without a signature': [
      ['--identifier', 'com.example.vm'],
      /no signature given; pass --team, or --requirement/,
    ],
    'an empty requirement': [['--identifier', 'com.example.vm', '--requirement', ' '], /pass --team, or --requirement/],
    'a requirement of two lines': [
      ['--identifier', 'com.example.vm', '--requirement', 'Executable=/x\ndesignated => y'],
      /more than one line; pass only the part after/,
    ],
    'an invalid team id': [['--identifier', 'com.example.vm', '--team', 'me'], /me is not a team id.*ABCDE12345/],
    '--team without --identifier': [['--team', 'ABCDE12345'], /no program given; .*--identifier/],
    '--services without --identifier': [['--services', 'SystemPolicyAllFiles'], /no program given; .*--identifier/],
    'a team and a requirement': [[...PACKER, '--requirement', 'anchor apple'], /cannot be used with/],
    'a name that is neither bundle id nor path': [
      ['--identifier', 'packer" or true', '--team', 'ABCDE12345'],
      /neither a bundle id nor a path/,
    ],
    'a service a profile cannot grant': [
      [...PACKER, '--services', 'Camera'],
      /unknown service "Camera"; available services/,
    ],
    'I26 Local Network as a service': [
      [...PACKER, '--services', 'LocalNetwork'],
      /use --networks for Local Network, because Apple has no privacy service for it/,
    ],
    'an invalid network': [
      ['--networks', '10.0.0.0/8,lan'],
      /"lan" is not a network; use for example 192\.168\.0\.0\/16/,
    ],
    'an unwritable output file': [['-o', '/nowhere/at/all'], /cannot write the profile \(ENOENT/],
  };
  for (const [name, [options, words]] of Object.entries(wrong))
    test(`tcc profile: ${name} is a usage error with a hint`, async () => {
      const { code, output, errors } = await profile(...options);
      assert.equal(code, 2);
      assert.match(errors, words);
      assert.equal(output, '');
    });

  test('tcc profile --help names Apple’s limits and what is untested', async () => {
    const { code, output } = await profile('--help');
    assert.equal(code, 0);
    assert.match(output, /Apple has no privacy service \(PPPC\) for Local Network/);
    assert.match(output, /test the profile on one Mac before you rely on it/);
  });
});
