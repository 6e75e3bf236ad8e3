import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { ADDRESS, type FreshMac, freshMac } from '../../testing/fresh-mac.ts';
import type { InspectedFacts } from '../facts/read-facts.ts';
import { diagnoseFacts } from './diagnose-facts.ts';

const COMMANDS = { user: 'm1', prepare: 'PREPARE', converge: 'CONVERGE' };

const HEALTHY: InspectedFacts = {
  macos: { version: '26.3', build: '25D125' },
  model: 'Macmini9,1',
  cpus: 8,
  memoryBytes: 16e9,
  uptimeSeconds: 60,
  disk: { totalBytes: 494e9, freeBytes: 300e9 },
  skew: { least: -400, most: 900 },
  fileVault: 'FileVault is Off.',
  sudo: true,
  screen: { session: true, loginWindowRuns: true, sealed: false },
  ledger: undefined,
  lease: undefined,
};

const findings = (facts: Partial<InspectedFacts>): readonly (readonly [string, string, string | undefined])[] =>
  diagnoseFacts({ ...HEALTHY, ...facts }, COMMANDS)
    .filter(({ state }) => state === 'problem')
    .map(({ check, message, fix }) => [check, message, fix]);

describe('host facts', () => {
  test('host doctor finds no problem in the facts of a healthy host', () => {
    assert.deepEqual(findings({}), []);
  });

  test('I06 host doctor reports a sealed password and a missing GUI session with commands', () => {
    assert.deepEqual(findings({ screen: { session: false, loginWindowRuns: true, sealed: true } }), [
      ['login session', 'm1 has no GUI session; VMs cannot start', 'CONVERGE --only auto-login'],
      ['auto-login password', 'sealed; the login window rejected the stored password', 'PREPARE'],
    ]);
  });

  test('I08 host doctor reports a login window that is not running', () => {
    const [found] = findings({ screen: { session: false, loginWindowRuns: false, sealed: false } });
    assert.match(found?.[1] ?? '', /the login window is not running/);
  });

  test('host doctor reports low disk space', () => {
    const [found] = findings({ disk: { totalBytes: 494e9, freeBytes: 12e9 } });
    assert.deepEqual(found?.slice(0, 2), ['disk space', '12 GB of 494 GB free']);
  });

  test('host doctor reports a Mac that would stop at the unlock screen of FileVault', () => {
    const [found] = findings({ fileVault: 'FileVault is On.' });
    assert.deepEqual(found, [
      'FileVault',
      'FileVault is On. A reboot stops at the unlock screen until a person comes',
      'on the host: sudo fdesetup disable',
    ]);
  });

  test('host doctor reports a clock skew beyond the round-trip time', () => {
    assert.match(
      findings({ skew: { least: 86_399_000, most: 86_401_000 } })[0]?.[1] ?? '',
      /23h59m ahead of the local clock/,
    );
    assert.match(
      findings({ skew: { least: -7_201_000, most: -7_199_000 } })[0]?.[1] ?? '',
      /1h59m behind the local clock/,
    );
    assert.deepEqual(findings({ skew: { least: -50_000, most: 20_000 } }), [], 'a slow response is not a clock skew');
  });

  test('host doctor reports a held lease and when it expires', () => {
    const [found] = findings({ lease: { holder: 'ben@desk', held: true, silentFor: seconds(12) } });
    assert.equal(found?.[1], 'held by ben@desk, last renewed 12s ago');
    assert.match(found?.[2] ?? '', /expires 2m after/);
    assert.deepEqual(findings({ lease: { holder: 'ben@desk', held: false, silentFor: seconds(900) } }), []);
  });

  test('host doctor reports the last failed step with its code', () => {
    const error = { code: 'HOST_DISK_FULL', message: 'no space' };
    const step = { fingerprint: '', state: 'failed', at: '', durationMs: 1, attempts: 3, error } as const;
    const ledger = {
      version: 1,
      plan: 'abcdef0123456789',
      converged: false,
      steps: { tart: step },
      holder: 'ben',
      at: 'noon',
    } as const;
    assert.deepEqual(findings({ ledger }), [
      [
        'last converge',
        'tart failed, 3 times in a row by ben at noon, plan abcdef012345: no space (HOST_DISK_FULL)',
        'CONVERGE',
      ],
    ]);
  });
});

describe('minifleet host doctor', () => {
  const asking = (mac: FreshMac): string[] => [
    'host',
    'doctor',
    ADDRESS,
    '-i',
    `${mac.folder}/key`,
    '--accept-new-host-key',
  ];

  test('host doctor on a new Mac reports sudo with the command to fix it', async () => {
    using mac = freshMac();
    const { code, output } = await mac.run(...asking(mac));
    assert.equal(code, 3);
    assert.match(
      output,
      /\nsudo +✗ problem +m1 needs a password for sudo[^\n]*\n +→ minifleet prepare-fleet-host m1@203\.0\.113\.7:22 -i /,
    );
    assert.match(output, /login session +\? unknown +cannot be inspected without sudo/);
    assert.deepEqual(mac.journal.gaps, []);
  });

  test('host doctor finds no problem on a prepared host', async () => {
    using mac = freshMac();
    const password = mac.put('password', 'correct horse');
    await mac.run(
      'prepare-fleet-host',
      ADDRESS,
      '-i',
      `${mac.folder}/key`,
      '--accept-new-host-key',
      '--password-file',
      password,
    );
    const { code, output } = await mac.run(...asking(mac));
    assert.equal(code, 0, output);
    assert.match(output, /host key +✓ ok +SHA256:\S+, pinned in \S+known_hosts, line 1\n/);
    assert.match(output, /\nno problems found\n$/);
  });

  test('host doctor of an unreachable host has one finding and exits with 1', async () => {
    using mac = freshMac();
    mac.mac.shutDown();
    const { code, output } = await mac.run(...asking(mac), '-o', 'json');
    assert.equal(code, 1);
    const { checks } = JSON.parse(output) as { checks: { check: string; state: string; fix: string }[] };
    assert.deepEqual([checks.length, checks[0]?.check, checks[0]?.state], [1, 'reachable', 'problem']);
  });
});
