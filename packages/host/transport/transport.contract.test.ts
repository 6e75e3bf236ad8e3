import { chmod, mkdir } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { systemClock } from '@minifleet/clock';
import { createRedactor, Secret } from '@minifleet/secret';
import { createChance, createFaultPlan, createJournal, type FaultPlan } from '@minifleet/world';
import { type BuiltMac, createMac, m1, macParts, root, type SshServer, startSshServer } from '@minifleet/world/mac';
import { openHost } from '../open-host.ts';
import { testKey } from '../testing/contract/test-key.ts';
import {
  type ContractHost,
  type Network,
  type Topic,
  transportContract,
} from '../testing/contract/transport.contract.ts';
import { unpackDebian } from '../testing/debian-package.ts';
import { macTransport } from '../testing/mac-transport.ts';
import { startOpenSshServer } from '../testing/open-ssh-server.ts';
import { openSshTransport, type SshTransportOptions } from './ssh-transport.ts';
import type { HostTransport } from './transport.ts';

const key = testKey();

/** Opens transports to one port (default: trust on first use). */
const opener =
  (port: number, user: string) =>
  (options: Partial<SshTransportOptions> = {}): HostTransport =>
    openSshTransport({
      address: '127.0.0.1',
      port,
      user,
      privateKey: new Secret('the key of the test', key.private),
      hostKey: { firstContact: 'accept' },
      clock: systemClock,
      ...options,
    });

const hostOn = (transport: HostTransport, user: string) =>
  openHost({ transport, user, clock: systemClock, redactor: createRedactor() });

async function openOpenSsh(account: 'root' | 'ordinary'): Promise<ContractHost> {
  // The login shell of a Mac.
  const { root: unpacked } = await unpackDebian('zsh', ['zsh', 'zsh-common']);
  const server = await startOpenSshServer(key.public, { shell: `${unpacked}/bin/zsh` });
  const user = (account === 'ordinary' ? server.ordinaryUser : undefined) ?? server.user;
  const open = opener(server.port, user);
  const transport = open();
  const folder = `${server.folder}/files`;
  await mkdir(folder);
  await chmod(folder, 0o777);
  const { uid, gid } = userInfo();
  return {
    transport,
    folder,
    host: hostOn(transport, user),
    owner: `${uid}:${gid}`,
    suicide: ['/bin/sh', '-c', 'kill -KILL $$'],
    passesSignals: user === server.ordinaryUser,
    holdsInputBack: true,
    drop: undefined,
    network: {
      port: server.port,
      open,
      breakConnections: () => server.endConnections(),
      changeHostKey: () => server.changeHostKey(),
    },
    async close() {
      await transport.close();
      await server.close();
    },
  };
}

function buildMac(): { readonly mac: BuiltMac; readonly faults: FaultPlan } {
  const chance = createChance('transport contract');
  const clock = systemClock;
  const faults = createFaultPlan(chance.stream('faults'));
  const known = { name: 'mini-01', serverId: chance.uuid(), address: '127.0.0.1', password: 'correct horse' };
  const macos = { version: '26.3', build: '25D125' };
  const mac = createMac({ ...known, macos, parts: macParts }, { clock, chance, journal: createJournal(clock), faults });
  mac.files.write(root, '/etc/sudoers.d/m1-nopasswd', 'm1 ALL=(ALL) NOPASSWD: ALL\n', { mode: 0o440 });
  mac.files.write(root, '/Users/m1/.ssh/authorized_keys', `${key.public}\n`);
  mac.files.makeDirectory(root, '/tmp/contract', { mode: 0o777 });
  return { mac, faults };
}

const macHost = (transport: HostTransport, faults: FaultPlan, network: Network | undefined) => ({
  transport,
  network,
  folder: '/tmp/contract',
  host: hostOn(transport, m1.name),
  owner: 'root:wheel',
  suicide: ['/usr/bin/pkill', '-KILL', 'zsh'] as const,
  passesSignals: true,
  holdsInputBack: false,
  drop: (when: 'before' | 'during' | 'after') =>
    faults.add({ kind: 'command', fault: { type: 'drop', when }, times: 1 }),
});

async function openWorld(): Promise<ContractHost> {
  const { mac, faults } = buildMac();
  let server: SshServer = await startSshServer(mac);
  const { port } = server;
  const restart = async (): Promise<void> => {
    await server.close();
    server = await startSshServer(mac, { port });
  };
  const open = opener(port, m1.name);
  const transport = open();
  const network: Network = {
    port,
    open,
    breakConnections: restart,
    async changeHostKey() {
      mac.files.remove(root, '/etc/ssh/ssh_host_ed25519_key');
      await restart();
    },
  };
  return {
    ...macHost(transport, faults, network),
    async close() {
      await transport.close();
      await server.close();
      mac.shutDown();
    },
  };
}

async function openSimulated(): Promise<ContractHost> {
  const { mac, faults } = buildMac();
  const transport = macTransport(mac);
  return { ...macHost(transport, faults, undefined), close: async () => mac.shutDown() };
}

const NOT_DIALLED: readonly Topic[] = ['first contact', 'a connection that is lost'];
const NO_EXACT_POINT: Topic = 'a connection that breaks at an exact point';

transportContract({ name: 'OpenSSH as root', open: () => openOpenSsh('root'), without: [NO_EXACT_POINT] });
transportContract({
  name: 'OpenSSH as an ordinary account',
  open: () => openOpenSsh('ordinary'),
  without: [NO_EXACT_POINT, 'files', ...NOT_DIALLED],
});
transportContract({ name: 'the world’s SSH server', open: openWorld });
transportContract({ name: 'a simulated Mac without SSH', open: openSimulated, without: NOT_DIALLED });
