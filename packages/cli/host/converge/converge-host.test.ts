import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { terminalScreen } from '../../terminal/testing/terminal-screen.ts';
import { ADDRESS, type FreshMac, freshMac } from '../../testing/fresh-mac.ts';

const SPEC = 'fleet: { localNetwork: false }\nhost: { name: mini-01 }\n';

const converging = (mac: FreshMac, spec = SPEC, password = 'correct horse'): string[] => [
  'host',
  'converge',
  ADDRESS,
  '-i',
  `${mac.folder}/key`,
  '--accept-new-host-key',
  '-f',
  mac.put('host.yaml', spec),
  '--password-file',
  mac.put('password', password),
];

interface Report {
  readonly outcome: string;
  readonly changes: number;
  readonly error?: { readonly code: string; readonly message: string };
}

describe('minifleet host converge', () => {
  test('host converge without a terminal prints the journal and the outcome', async () => {
    using mac = freshMac();
    const { code, output } = await mac.run(...converging(mac));
    assert.equal(code, 0);
    assert.match(output, /^2030-01-01T00:00:00Z inspected: out of sync: sudo, auto-login/);
    assert.match(output, /\n\S+Z auto-login changed after 2s: wrote \/etc\/kcpassword;/);
    assert.match(output, /\nconverged: \d+ steps changed in 2s; \d+ already current\n$/);
  });

  test('host converge on a terminal keeps one line for each changed step', async () => {
    using mac = freshMac();
    const screen = terminalScreen(100);
    await mac.runWith({ output: screen }, ...converging(mac));
    assert.match(
      screen.text(),
      /^✓ sudo {15}\S+ +wrote \/etc\/sudoers\.d\/m1-nopasswd, using the password once\n✓ auto-login +2s +wrote/,
    );
    assert.match(screen.text(), /\nconverged: \d+ steps changed/);
  });

  test('host converge shows the running step with its duration and what it waits for', async () => {
    using mac = freshMac();
    const screen = terminalScreen(100);
    const seen: string[] = [];
    const write = (text: string): void => {
      screen.write(text);
      seen.push(screen.text());
    };
    await mac.runWith({ output: { ...screen, write } }, ...converging(mac));
    const last = seen.findLast(text => /^[⠀-⣿] auto-login/m.test(text)) ?? '';
    assert.match(last, /^✓ sudo .*\n[⠀-⣿] auto-login +1\.\ds +auto-login is off, expected for m1/);
  });

  test('host converge -o json prints one object, also on failure', async () => {
    using mac = freshMac();
    const failed = await mac.run(...converging(mac, SPEC, 'wrong'), '-o', 'json');
    assert.equal(failed.code, 1);
    assert.equal((JSON.parse(failed.output) as Report).error?.code, 'HOST_SUDO_PASSWORD_WRONG');
    const done = JSON.parse((await mac.run(...converging(mac), '-o', 'json')).output) as Report;
    assert.equal(done.outcome, 'converged');
    assert.doesNotMatch(failed.output + failed.errors, /correct horse/);
  });

  test('host converge prints the message, code and retry advice of a failure', async () => {
    using mac = freshMac();
    const { code, output } = await mac.run(...converging(mac, SPEC, 'wrong'));
    assert.equal(code, 1);
    assert.match(output, /sudo failed after 0ms: .*sudo rejected the password of m1;.*\(HOST_SUDO_PASSWORD_WRONG\)/);
    assert.match(output, /\na retry with the same input fails again; change the options or the spec file first\n$/);
  });

  test('host converge on Ctrl-C prints the finished steps and releases the lease', async () => {
    using mac = freshMac();
    const stop = new AbortController();
    let output = '';
    const write = (text: string): void => {
      output += text;
      if (text.includes('auto-login changing')) stop.abort('SIGINT');
    };
    const { code, errors } = await mac.runWith({ signal: stop.signal, output: { write } }, ...converging(mac));
    assert.equal(code, 130);
    assert.match(
      output,
      /\ninterrupted: sudo done; auto-login interrupted; lease released; run the command again to continue/,
    );
    assert.equal(errors, '');
    const again = await mac.run(...converging(mac));
    assert.equal(again.code, 0, again.output);
  });

  test('host converge reboots only with --reboot and --allow running-vms', async () => {
    using mac = freshMac();
    const how = converging(mac, 'host: { name: mini-01 }\n');
    const pending = await mac.run(...how, '--reboot');
    assert.equal(pending.code, 3);
    assert.match(pending.output, /\nto finish, use --allow running-vms --reboot, or restart the host/);
    const rebooted = await mac.run(...how, '--reboot', '--allow', 'running-vms');
    assert.equal(rebooted.code, 0, rebooted.output);
    assert.match(rebooted.output, / rebooting: required by local-network\n/);
    assert.deepEqual(mac.journal.gaps, []);
  });

  test('host converge reboots before the workload steps and prints one report', async () => {
    using mac = freshMac();
    const how = converging(mac, 'host: { name: mini-01 }\n');
    const { code, output } = await mac.run(...how, '--reboot', '--allow', 'running-vms', '-o', 'json');
    assert.equal(code, 0, output);
    const { outcome, steps } = JSON.parse(output) as Report & {
      readonly steps: readonly { readonly id: string; readonly state: string; readonly changed: boolean }[];
    };
    const seen = ['local-network', 'agent-job'].map(id => steps.find(step => step.id === id));
    assert.deepEqual(
      [outcome, ...seen.map(step => `${step?.state} ${step?.changed}`)],
      ['converged', 'current true', 'current false'],
    );
  });

  test('host converge names the lease holder and the retry time of a busy host', async () => {
    using mac = freshMac();
    await mac.run(...converging(mac));
    await mac.host.must(['/bin/ln', '-s', 'token ben@desk', '/var/db/minifleet/lease.99'], { root: true });
    const { code, output } = await mac.run(...converging(mac));
    assert.equal(code, 1);
    assert.match(output, /m1@203\.0\.113\.7:22: ben@desk is already changing this host.*\(HOST_BUSY\)/);
    assert.match(output, /\nretry in 30s\n$/);
  });
});
