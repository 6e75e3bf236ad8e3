import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostTransport } from '@minifleet/host';
import { createCanary, passTime, type Sabotage, sabotaged, sabotages, unique } from '@minifleet/host/testing';
import { machO } from '@minifleet/world/mac';
import { commandLine } from '../testing/command-line.ts';
import { ADDRESS, type FreshMac, freshMac } from '../testing/fresh-mac.ts';

const PASSWORD = `it's "${unique('password')}"`;
const BEARER = unique('bearer token');
const KUBECONFIG = `apiVersion: v1\nkind: Config\nusers:\n- name: node\n  user:\n    token: ${BEARER}\n`;
const KEY = `-----BEGIN OPENSSH PRIVATE KEY-----\n${unique('private key')}\n-----END OPENSSH PRIVATE KEY-----\n`;

const PLANTED = [
  { name: 'password', value: PASSWORD },
  { name: 'password, in any quoting', value: unique('password') },
  { name: 'kubeconfig', value: KUBECONFIG },
  { name: 'bearer token of the kubeconfig', value: BEARER },
  { name: 'private SSH key', value: unique('private key') },
];

/** Secrets that a host receives and can echo. The private key never leaves the client. */
const SENT_SECRETS = [PASSWORD, KUBECONFIG, BEARER];

const SPEC = `fleet: { agent: { binary: tart-kubelet }, localNetwork: false }
host: { name: mini-01, passwordFile: password, kubeconfigFile: kubeconfig }
`;

function prepared(): FreshMac {
  const mac = freshMac({ password: PASSWORD });
  mac.put('key', KEY);
  mac.put('password', `${PASSWORD}\n`);
  mac.put('kubeconfig', KUBECONFIG);
  mac.put('tart-kubelet', machO('agent'));
  mac.put('host.yaml', SPEC);
  return mac;
}

interface SabotagedRun {
  readonly command: number;
  readonly how: Sabotage;
  /** Secrets that the host echoes. */
  readonly secrets: readonly string[];
}

/** Runs a command line against a new Mac that fails at one command. Returns all output and the number of commands sent. */
async function printed(argv: (mac: FreshMac) => readonly string[], { command, how, secrets }: SabotagedRun) {
  using mac = prepared();
  let sent = 0;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const onCommand = (): void => {
    sent += 1;
    begin();
  };
  const { faults, clock } = mac;
  const openTransport = (): HostTransport =>
    sabotaged({ transport: mac.transport, faults, clock, command, how, secrets, onCommand });
  const prompts = { password: async () => PASSWORD, confirm: async () => true };
  const context = { clock, home: mac.folder, stateDirectory: mac.folder, openTransport, prompts };
  const work = commandLine(context)(...argv(mac));
  // The fake clock must not advance while files are read in real time.
  await Promise.race([begun, work]);
  const { output, errors, code } = await passTime(clock, work);
  return { text: `${output}${errors}`, sent, code };
}

const reaching = (mac: FreshMac): readonly string[] => [ADDRESS, '-i', `${mac.folder}/key`, '--accept-new-host-key'];

const converging = (mac: FreshMac): readonly string[] => [
  'host',
  'converge',
  ...reaching(mac),
  '-f',
  `${mac.folder}/host.yaml`,
];

const commands = [
  { name: 'host converge', argv: converging, secrets: SENT_SECRETS },
  { name: 'host converge -o json', argv: (mac: FreshMac) => [...converging(mac), '-o', 'json'], secrets: SENT_SECRETS },
  // This command receives only the password.
  {
    name: 'prepare-fleet-host',
    argv: (mac: FreshMac) => ['prepare-fleet-host', ...reaching(mac)],
    secrets: [PASSWORD],
  },
];

for (const [turn, { name, argv, secrets }] of commands.entries()) {
  test(`${name} never prints a secret, whichever host command fails`, async () => {
    const canary = createCanary(PLANTED);
    const { sent, code, text } = await printed(argv, { command: 0, how: 'fails', secrets });
    assert.equal(code, 0, text);
    let failed = 0;
    for (let command = 1; command <= sent; command++) {
      // The ways alternate, and each command line fails a given command in another way.
      const how = sabotages[(command + turn * 4) % sabotages.length] ?? 'fails';
      const run = await printed(argv, { command, how, secrets });
      canary.search(`${name}, command ${command} ${how}`, run.text);
      if (run.code !== 0) failed += 1;
    }
    assert.ok(failed > sent / 2, `${failed} of ${sent} failed`);
    assert.deepEqual(canary.leaks, []);
  });
}
