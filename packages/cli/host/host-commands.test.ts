import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ADDRESS, type FreshMac, freshMac } from '../testing/fresh-mac.ts';

/** Connection options, with a spec that needs no reboot. */
const reaching = (mac: FreshMac, spec = 'fleet: { localNetwork: false }\nhost: { name: mini-01 }\n'): string[] => [
  ADDRESS,
  '-i',
  `${mac.folder}/key`,
  '--accept-new-host-key',
  '-f',
  mac.put('host.yaml', spec),
  '--password-file',
  mac.put('password', 'correct horse\n'),
];

interface Report {
  readonly plan: string;
  readonly summary: string;
  readonly steps: readonly { readonly id: string; readonly state: string; readonly differences: readonly string[] }[];
}

describe('minifleet host plan', () => {
  test('host plan prints the differences, changes nothing and exits with 3', async () => {
    using mac = freshMac();
    const { code, output } = await mac.run('host', 'plan', ...reaching(mac));
    assert.equal(code, 3);
    assert.match(
      output,
      /^STEP +STATE +DISTURBS +DIFFERENCE\nsudo +~ drift +nothing +sudo asks m1 for a password, expected none\n/,
    );
    assert.match(
      output,
      /\n2 of \d+ steps differ; converge would change both \(disturbs nothing\); \d+ cannot be inspected yet\n$/,
    );
    assert.deepEqual(mac.mac.files.exists(mac.root, '/var/db/minifleet'), false);
    assert.deepEqual(mac.journal.gaps, []);
  });

  test('host plan of a converged host exits with 0', async () => {
    using mac = freshMac();
    assert.equal((await mac.run('host', 'converge', ...reaching(mac))).code, 0);
    const { code, output } = await mac.run('host', 'plan', ...reaching(mac));
    assert.equal(code, 0);
    assert.match(output, /\nall \d+ steps are current\n$/);
  });

  test('host plan shows a change that waits for a reboot as "needs reboot"', async () => {
    using mac = freshMac();
    const how = reaching(mac, 'host: { name: mini-01 }\n');
    assert.equal((await mac.run('host', 'converge', ...how)).code, 3);
    const { code, output } = await mac.run('host', 'plan', ...how);
    assert.equal(code, 3);
    assert.match(output, /local-network +↻ needs reboot +running VMs /);
    assert.match(output, /\n1 of \d+ steps differs; one needs a reboot\n$/);
  });

  test('host plan -o json prints one object with the messages of the table', async () => {
    using mac = freshMac();
    const { output } = await mac.run('host', 'plan', ...reaching(mac), '-o', 'json');
    const { steps, summary } = JSON.parse(output) as Report;
    assert.equal(steps[0]?.state, 'drift');
    assert.deepEqual(steps[0]?.differences[0], 'sudo asks m1 for a password, expected none');
    assert.match(summary, /steps differ/);
  });

  test('host plan --only inspects the given steps and refuses an unknown step', async () => {
    using mac = freshMac();
    const { output } = await mac.run('host', 'plan', ...reaching(mac), '--only', 'sudo,hostname', '-o', 'json');
    assert.deepEqual(
      (JSON.parse(output) as Report).steps.map(({ id }) => id),
      ['sudo', 'hostname'],
    );
    const { code, errors } = await mac.run('host', 'plan', ...reaching(mac), '--only', 'sudoo');
    assert.equal(code, 2);
    assert.match(errors, /unknown step sudoo; available steps: sudo, auto-login, never-sleep, hostname/);
  });

  test('host plan and converge require a spec file', async () => {
    using mac = freshMac();
    for (const command of ['plan', 'converge']) {
      const { code, errors } = await mac.run('host', command, ADDRESS, '-i', `${mac.folder}/key`);
      assert.equal(code, 2);
      assert.match(errors, /no spec file; pass one with -f <spec file>/);
    }
  });

  test('host plan refuses an invalid spec file with its line, without dialling the host', async () => {
    using mac = freshMac();
    const { code, errors } = await mac.run('host', 'plan', ...reaching(mac, 'host:\n  nam: mini-01\n'));
    assert.equal(code, 2);
    assert.match(errors, /host\.yaml:2:3: host\.nam is not a field; valid fields: name, user,/);
    assert.equal(mac.transport.roundTrips, 0);
  });

  test('host plan refuses an invalid address with an example', async () => {
    using mac = freshMac();
    const { code, errors } = await mac.run('host', 'plan', 'mini:ssh');
    assert.equal(code, 2);
    assert.match(errors, /for example m1@203\.0\.113\.7:22/);
  });

  test('--host-key and --accept-new-host-key exclude each other', async () => {
    using mac = freshMac();
    const { code } = await mac.run('host', 'plan', ...reaching(mac), '--host-key', `SHA256:${'A'.repeat(43)}`);
    assert.equal(code, 2);
  });
});

describe('minifleet host inspect', () => {
  test('host inspect prints the facts and the last converge of a host', async () => {
    using mac = freshMac();
    await mac.run('host', 'converge', ...reaching(mac));
    const { code, output } = await mac.run('host', 'inspect', ADDRESS, '-i', `${mac.folder}/key`);
    assert.equal(code, 0);
    assert.match(output, /macOS +26\.3 \(25D125\)\n/);
    assert.match(output, /disk +[\d.]+ GB of [\d.]+ GB free\n/);
    assert.match(output, /screen +logged in\n/);
    assert.match(output, /lease +free\n/);
    assert.match(output, /converged +yes, at 2030-01-01T00:\d\d:\d\dZ by anna@laptop, plan [\da-f]{12}\n/);
    assert.deepEqual(mac.journal.gaps, []);
  });

  test('host inspect -o json with a spec file includes the steps', async () => {
    using mac = freshMac();
    const { output } = await mac.run('host', 'inspect', ...reaching(mac), '-o', 'json');
    const data = JSON.parse(output) as Report & { readonly macos: { readonly version: string } };
    assert.equal(data.macos.version, '26.3');
    assert.equal(data.steps[0]?.id, 'sudo');
  });
});
