import { systemClock } from '@minifleet/clock';
import { createRedactor, Secret } from '@minifleet/secret';
import { createChance, createFaultPlan, createJournal, createWorldClock } from '@minifleet/world';
import { type BuiltMac, createMac, m1, macParts, startSshServer } from '@minifleet/world/mac';
import { converge } from '../../engine/converge.ts';
import type { Plan } from '../../engine/plan.ts';
import type { ConvergeReport } from '../../engine/report.ts';
import { openHost } from '../../open-host.ts';
import { openSshTransport } from '../../transport/ssh-transport.ts';
import { testKey } from '../contract/test-key.ts';
import { PASSWORD } from '../test-host.ts';

/** A freshly imaged Mac behind a real SSH socket, whose time runs ten times as fast. */
interface SshHost {
  readonly mac: BuiltMac;
  /** The private half of our key. */
  readonly privateKey: string;
  bring(plan: Plan): Promise<ConvergeReport>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface SshHostOptions {
  /** True if the host accepts the key (default: true). */
  readonly acceptsKey?: boolean;
  /** Host key that the host must present (default: any). */
  readonly pinned?: string;
}

export async function sshHost({ acceptsKey = true, pinned }: SshHostOptions = {}): Promise<SshHost> {
  const clock = createWorldClock(systemClock, 10);
  const chance = createChance('ssh host');
  const around = { clock, chance, journal: createJournal(clock), faults: createFaultPlan(chance.stream('faults')) };
  const known = { name: 'mini-01', serverId: chance.uuid(), address: '127.0.0.1', password: PASSWORD };
  const mac = createMac({ ...known, macos: { version: '26.3', build: '25D125' }, parts: macParts }, around);
  const key = testKey();
  mac.files.write(m1, `${m1.home}/.ssh/scw_authorized_keys`, acceptsKey ? `${key.public}\n` : '', { mode: 0o600 });
  const server = await startSshServer(mac);
  const redactor = createRedactor();
  const transport = openSshTransport({
    address: '127.0.0.1',
    port: server.port,
    user: m1.name,
    privateKey: new Secret('our key', key.private),
    hostKey: pinned === undefined ? { firstContact: 'accept' } : { pinned },
    clock,
  });
  const host = openHost({ transport, user: m1.name, clock, redactor });
  return {
    mac,
    privateKey: key.private,
    bring: plan => converge(host, plan, { holder: 'a test', allow: 'running VMs', reboot: 'never', redactor }),
    async [Symbol.asyncDispose]() {
      await transport.close();
      mac.shutDown();
      await server.close();
    },
  };
}
