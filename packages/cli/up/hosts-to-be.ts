import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { World } from '@minifleet/world';
import { machO, tartArchive } from '@minifleet/world/mac';

/** A simulated Mac, and the file that says what is wanted of it. */
export interface HostToBe {
  readonly name: string;
  readonly port: number;
  readonly specFile: string;
}

const TART = '2.32.1';

export interface DescribeOptions {
  /** Of the world. */
  readonly directory: string;
  /** What a Mac joins with; undefined when its hosts have no agent. */
  readonly kubeconfig: (() => Promise<string>) | undefined;
}

/** Writes a spec file for each Mac of the pool, with the world's own Tart and what stands for the agent's program beside them. */
export async function describeHosts(world: World, { directory, kubeconfig }: DescribeOptions): Promise<HostToBe[]> {
  const pool = world.pool();
  const folder = join(directory, 'hosts');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'tart.tar.gz'), tartArchive(TART));
  await writeFile(join(folder, 'tart-kubelet'), machO('tart-kubelet'));
  return Promise.all(
    pool.map(async ({ name, host }) => {
      const specFile = join(folder, `${name}.yaml`);
      await writeFile(join(folder, `${name}.password`), `${host.mac.options.password}\n`, { mode: 0o600 });
      if (kubeconfig) await writeFile(join(folder, `${name}.kubeconfig`), await kubeconfig(), { mode: 0o600 });
      await writeFile(specFile, specText(name, kubeconfig !== undefined));
      return { name, port: host.ssh.port, specFile };
    }),
  );
}

const specText = (
  name: string,
  joins: boolean,
): string => `# What is wanted of ${name}. Change something, and \`host plan\` says what differs.
fleet:
  tart: { version: ${TART}, archive: tart.tar.gz }${joins ? '\n  agent: { binary: tart-kubelet }' : ''}
  egress:
    allow: [{ to: 10.96.0.10, ports: '53', protocols: [tcp, udp] }]
  localNetwork: false # takes force only after a reboot, which a demonstration does not wait for
host:
  name: ${name}
  passwordFile: ${name}.password${joins ? `\n  kubeconfigFile: ${name}.kubeconfig` : ''}
`;
