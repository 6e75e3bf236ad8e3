import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { World } from '@minifleet/world';
import { tartArchive } from '@minifleet/world/mac';

/** A simulated Mac, and the file that says what is wanted of it. */
export interface HostToBe {
  readonly name: string;
  readonly port: number;
  readonly specFile: string;
}

const TART = '2.32.1';

/** Writes a spec file for each Mac of the pool, with the world's own Tart beside them. */
export async function describeHosts(world: World, directory: string): Promise<HostToBe[]> {
  const pool = world.pool();
  const folder = join(directory, 'hosts');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'tart.tar.gz'), tartArchive(TART));
  return Promise.all(
    pool.map(async ({ name, host }) => {
      const specFile = join(folder, `${name}.yaml`);
      await writeFile(join(folder, `${name}.password`), `${host.mac.options.password}\n`, { mode: 0o600 });
      await writeFile(specFile, specText(name));
      return { name, port: host.ssh.port, specFile };
    }),
  );
}

const specText = (
  name: string,
): string => `# What is wanted of ${name}. Change something, and \`host plan\` says what differs.
fleet:
  tart: { version: ${TART}, archive: tart.tar.gz }
  egress:
    allow: [{ to: 10.96.0.10, ports: '53', protocols: [tcp, udp] }]
  localNetwork: false # takes force only after a reboot, which a demonstration does not wait for
host:
  name: ${name}
  passwordFile: ${name}.password
`;
