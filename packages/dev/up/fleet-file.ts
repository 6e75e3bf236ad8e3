import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AGENT_FILE, defaultFleetFile, HOMEBREW_INSTALLER_FILE, RUNNER, TART } from '@minifleet/spec-file';
import type { World } from '@minifleet/world';
import { HOMEBREW_INSTALL_SCRIPT, machO, runnerTarball, tartArchive } from '@minifleet/world/mac';
import { stringify } from 'yaml';

/** Writes the desired state of hosts and builders, and the files that it names. */
export async function writeFleetFile(directory: string): Promise<string> {
  const folder = join(directory, 'hosts');
  await writeHostFiles(folder);
  const file = join(folder, 'fleet.yaml');
  await writeFile(file, fleetText(localFleetFile()));
  return file;
}

/** The default of the chart with an installer of Homebrew, which the chart leaves to the operator. Paths are relative to the file. */
export const localFleetFile = () => {
  const { builder, ...hosts } = defaultFleetFile('.');
  return { ...hosts, builder: { ...builder, homebrewInstaller: `./${HOMEBREW_INSTALLER_FILE}` } };
};

/** Writes the files of the provider image: Tart, runner and installer of the world, and a placeholder for the agent's executable. */
export async function writeHostFiles(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, TART.file), tartArchive(TART.version));
  await writeFile(join(folder, AGENT_FILE), machO('tart-kubelet'));
  await writeFile(join(folder, RUNNER.file), runnerTarball(RUNNER.version));
  await writeFile(join(folder, HOMEBREW_INSTALLER_FILE), HOMEBREW_INSTALL_SCRIPT);
}

/** A simulated Mac without a fleet, and its spec file. */
export interface SpareMac {
  readonly name: string;
  readonly port: number;
  readonly specFile: string;
}

/** Writes a spec file for a Mac that is still in the pool, for converging it by hand. */
export async function writeSpareMacFile(world: World, directory: string): Promise<SpareMac | undefined> {
  const free = world.pool().find(({ name }) => name.startsWith('tuist-pool-'));
  if (!free) return undefined;
  const { name, host } = free;
  const specFile = join(directory, 'hosts', `${name}.yaml`);
  await writeFile(join(directory, 'hosts', `${name}.password`), `${host.mac.options.password}\n`, { mode: 0o600 });
  await writeFile(specFile, specText(name));
  return { name, port: host.ssh.port, specFile };
}

/** The DNS service of the local cluster is the only difference in what VMs may reach. */
const fleetText = (parts: Partial<ReturnType<typeof defaultFleetFile>>): string => `${stringify(parts)}egress:
  allow: [{ to: 10.96.0.10, ports: '53', protocols: [tcp, udp] }]
localNetwork: false # takes effect only after a reboot, which is omitted here
`;

/** Without an agent, because a Mac without a fleet joins no cluster. */
const specText = (
  name: string,
): string => `# Desired state of ${name}. Change a field, and \`host plan\` shows the difference.
fleet:
${fleetText({ tart: defaultFleetFile('.').tart }).replace(/^(?=.)/gm, '  ')}host:
  name: ${name}
  passwordFile: ${name}.password
`;
