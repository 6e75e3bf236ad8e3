import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transport } from '@minifleet/host';
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
  { name: 'password, however quoted', value: unique('password') },
  { name: 'kubeconfig', value: KUBECONFIG },
  { name: 'bearer token of the kubeconfig', value: BEARER },
  { name: 'private SSH key', value: unique('private key') },
];

/** What a host was given and can repeat; our private key never leaves us. */
const TOLD = [PASSWORD, KUBECONFIG, BEARER];

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

interface Struck {
  readonly command: number;
  readonly how: Sabotage;
  /** What the host repeats. */
  readonly secrets: readonly string[];
}

/** One command line against a Mac of its own that fails at one command; returns all that was printed, and how many were sent. */
async function printed(argv: (mac: FreshMac) => readonly string[], { command, how, secrets }: Struck) {
  using mac = prepared();
  let sent = 0;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const onCommand = (): void => {
    sent += 1;
    begin();
  };
  const { faults, clock } = mac;
  const openTransport = (): Transport =>
    sabotaged({ transport: mac.transport, faults, clock, command, how, secrets, onCommand });
  const prompts = { password: async () => PASSWORD, confirm: async () => true };
  const context = { clock, home: mac.folder, stateDirectory: mac.folder, openTransport, prompts };
  const work = commandLine(context)(...argv(mac));
  // Reading files takes real time, in which none of the test's may pass.
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
  { name: 'host converge', argv: converging, secrets: TOLD },
  { name: 'host converge -o json', argv: (mac: FreshMac) => [...converging(mac), '-o', 'json'], secrets: TOLD },
  // It is given nothing but the password.
  {
    name: 'prepare-fleet-host',
    argv: (mac: FreshMac) => ['prepare-fleet-host', ...reaching(mac)],
    secrets: [PASSWORD],
  },
];

for (const [turn, { name, argv, secrets }] of commands.entries()) {
  test(`${name} prints no byte of a secret, wherever its host fails`, async () => {
    const canary = createCanary(PLANTED);
    const { sent, code, text } = await printed(argv, { command: 0, how: 'fails', secrets });
    assert.equal(code, 0, text);
    let failed = 0;
    for (let command = 1; command <= sent; command++) {
      // Each way in turn, and each command in another way by another command line.
      const how = sabotages[(command + turn * 4) % sabotages.length] ?? 'fails';
      const struck = await printed(argv, { command, how, secrets });
      canary.search(`${name}, command ${command} ${how}`, struck.text);
      if (struck.code !== 0) failed += 1;
    }
    assert.ok(failed > sent / 2, `${failed} of ${sent} failed`);
    assert.deepEqual(canary.leaks, []);
  });
}
