import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Prompts } from '../context.ts';
import { PASSWORD, type SshMac, sshMac } from '../testing/ssh-mac.ts';

const SPEC = 'fleet: { localNetwork: false }\nhost: { name: mini-01, passwordFile: password }\n';

/** Writes the user's files and returns the options of every command. */
function reaching(mac: SshMac): readonly string[] {
  mac.put('password', `${PASSWORD}\n`);
  return [mac.address, '-i', mac.keyFile, '-f', mac.put('host.yaml', SPEC)];
}

const answering = (confirm: boolean | undefined): { prompts: Prompts; asked: string[] } => {
  const asked: string[] = [];
  const prompts = {
    password: async () => undefined,
    confirm: async (question: string) => {
      asked.push(question);
      return confirm;
    },
  };
  return { prompts, asked };
};

const fingerprintIn = (text: string): string => /SHA256:[\w+/]{43}/.exec(text)?.[0] ?? 'none';

describe('an unknown host', () => {
  test('an unknown host is refused with its fingerprint and --host-key, without a terminal', async () => {
    await using mac = await sshMac();
    const { code, errors } = await mac.run('host', 'plan', ...reaching(mac));
    assert.equal(code, 1);
    assert.match(
      errors,
      /host key SHA256:\S+ is unknown \(first connection\);.*--host-key SHA256:\S+ \(or --accept-new-host-key/,
    );
    const pinned = await mac.run('host', 'plan', ...reaching(mac), '--host-key', fingerprintIn(errors));
    assert.equal(pinned.code, 3, pinned.errors);
  });

  test('an unknown host is confirmed on a terminal and saved', async () => {
    await using mac = await sshMac();
    const { prompts, asked } = answering(true);
    assert.equal((await mac.runWith({ prompts }, 'host', 'plan', ...reaching(mac))).code, 3);
    assert.equal(asked.length, 1);
    const known = readFileSync(join(mac.folder, 'known_hosts'), 'utf8');
    assert.equal(known, `127.0.0.1:${mac.server.port} ${fingerprintIn(asked[0] ?? '')}\n`);
    assert.equal((await mac.run('host', 'plan', ...reaching(mac))).code, 3);
  });

  test('an unknown host is not contacted further if the user denies its key', async () => {
    await using mac = await sshMac();
    const { prompts } = answering(false);
    const { code, errors } = await mac.runWith({ prompts }, 'host', 'plan', ...reaching(mac));
    assert.equal(code, 1);
    assert.match(errors, /was not confirmed; nothing was changed \(HOST_KEY_NOT_TRUSTED\)/);
    assert.deepEqual(
      mac.journal.entries.filter(({ what }) => what === 'command'),
      [],
    );
  });

  test('an unknown host is trusted and saved with --accept-new-host-key', async () => {
    await using mac = await sshMac();
    assert.equal((await mac.run('host', 'plan', ...reaching(mac), '--accept-new-host-key')).code, 3);
    assert.equal((await mac.run('host', 'plan', ...reaching(mac))).code, 3);
  });
});

describe('a host with a changed key', () => {
  test('a host with a changed key is refused and the known_hosts line is named', async () => {
    await using mac = await sshMac();
    await mac.run('host', 'plan', ...reaching(mac), '--accept-new-host-key');
    await mac.reinstall();
    const { code, errors } = await mac.run('host', 'plan', ...reaching(mac), '--accept-new-host-key');
    assert.equal(code, 1);
    assert.match(
      errors,
      /but SHA256:\S+ is pinned;.*the saved key is line 1 of \S+known_hosts \(HOST_IDENTITY_CHANGED\)/,
    );
    const doctor = await mac.run('host', 'doctor', ...reaching(mac));
    assert.equal(doctor.code, 1);
    assert.match(doctor.output, /host key +✗ problem/);
  });

  test('a host with a changed key is accepted after its known_hosts line is removed', async () => {
    await using mac = await sshMac();
    await mac.run('host', 'plan', ...reaching(mac), '--accept-new-host-key');
    await mac.reinstall();
    writeFileSync(join(mac.folder, 'known_hosts'), '');
    assert.equal((await mac.run('host', 'plan', ...reaching(mac), '--accept-new-host-key')).code, 3);
  });
});

describe('over a real socket', () => {
  test('host plan and converge work over a real SSH connection', async () => {
    await using mac = await sshMac();
    const how = [...reaching(mac), '--accept-new-host-key'];
    const before = await mac.run('host', 'plan', ...how);
    assert.equal(before.code, 3);
    assert.match(before.output, /sudo +~ drift +nothing +sudo asks m1 for a password/);
    const converged = await mac.run('host', 'converge', ...how);
    assert.equal(converged.code, 0, converged.output + converged.errors);
    const after = await mac.run('host', 'plan', ...how);
    assert.equal(after.code, 0, after.output);
    assert.match(after.output, /\nall \d+ steps are current\n$/);
    assert.deepEqual(mac.journal.gaps, []);
  });

  test('a powered-off host is one error line and exit code 1', async () => {
    await using mac = await sshMac();
    const how = [...reaching(mac), '--accept-new-host-key'];
    mac.mac.shutDown();
    const { code, errors } = await mac.run('host', 'plan', ...how);
    assert.equal(code, 1);
    assert.match(errors, /^minifleet: m1@127\.0\.0\.1:\d+: SSH connection failed \(.*\(HOST_UNREACHABLE\)\n$/);
    const converged = await mac.run('host', 'converge', ...how);
    assert.equal(converged.code, 1);
    assert.match(converged.output, /retry in \d+s/);
  });

  test('an invalid or missing SSH key is reported before the host is dialled', async () => {
    await using mac = await sshMac();
    const how = [mac.address, '-f', mac.put('host.yaml', SPEC), '--accept-new-host-key'];
    mac.put('password', PASSWORD);
    const wrong = await mac.run('host', 'plan', ...how, '-i', mac.put('text', 'no key'));
    assert.match(wrong.errors, /text: not usable as an SSH private key/);
    const missing = await mac.run('host', 'plan', ...how, '-i', join(mac.folder, 'none'));
    assert.match(missing.errors, /no SSH key found \(.*none: no such file\)/);
    const usual = await mac.run('host', 'plan', ...how);
    assert.match(usual.errors, /id_ed25519: no such file; .*id_rsa: no such file/);
  });
});
