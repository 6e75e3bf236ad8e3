import { minutes } from '@minifleet/clock';
import { drift, type Removal } from '../../engine/step.ts';
import { describePaths } from '../../file-info.ts';
import type { HostView } from '../../host.ts';
import { scriptFailure } from '../../script-failure.ts';
import { TART_PROGRAM } from '../tart/tart.ts';

const STATE = '/var/lib/tart-kubelet';
const LOGS = '/var/log/tart-kubelet';
const CONFIGURATION = '/etc/tart-kubelet';
export const AGENT_LOG = '/var/log/tart-kubelet.log';
export const KUBECONFIG = `${CONFIGURATION}/kubeconfig`;

/** State and log directories of the agent. It runs as the GUI user, who may not create them. */
export const AGENT_DIRECTORIES = [STATE, LOGS] as const;

/** Private key and certificates of the Node, which the agent requested with its bootstrap kubeconfig. */
const CERTIFICATES = `${STATE}/pki`;

/** Removes the credentials of the Node. Kubernetes cannot revoke a client certificate, so its private key must go. */
export const agentCredentialsRemoval: Removal = {
  async inspect(host) {
    const paths = await describePaths(host, [CONFIGURATION, CERTIFICATES]);
    return drift([...paths.keys()].map(path => `${path} still exists`));
  },
  async change(host) {
    for (const path of [CONFIGURATION, CERTIFICATES]) await host.remove(path);
    return ['removed the kubeconfig and the certificates of the Node'];
  },
};

/**
 * Removes VMs, images, state and logs of the agent, after its launchd job is gone. VMs and images of others stay: the
 * name of a VM and the agent's own record of its pulls tell them apart, as in its garbage collection.
 */
export const agentDataRemoval: Removal = {
  async inspect(host) {
    const { vms, images, paths } = await readAgentData(host);
    return drift(
      [
        ...vms.map(name => `VM ${name} still exists`),
        ...images.map(name => `image ${name} still exists`),
        ...paths.map(path => `${path} still exists`),
      ],
      vms.length > 0 ? 'running VMs' : 'nothing',
    );
  },
  async change(host) {
    const { vms, images } = await readAgentData(host);
    const args = [host.user, TART_PROGRAM, STATE, LOGS, AGENT_LOG, ...vms, '--', ...images];
    const ran = await host.script('remove-agent-data', args, { timeout: minutes(5) });
    if (ran.exitCode !== 0) throw scriptFailure(host, { command: 'remove-agent-data', path: STATE }, ran);
    return [`removed ${vms.length} VMs and ${images.length} images of the agent, its state and its logs`];
  },
};

interface AgentData {
  readonly vms: readonly string[];
  /** `repo@sha256:…`. */
  readonly images: readonly string[];
  readonly paths: readonly string[];
}

/** The user's own Tart lists the VMs; a half-deleted bundle is only a folder. */
async function readAgentData(host: HostView): Promise<AgentData> {
  const [vms, bundles, images, record, paths] = await Promise.all([
    host.query([TART_PROGRAM, 'list', '--source', 'local', '--quiet']),
    host.query(['/bin/ls', '-1', `/Users/${host.user}/.tart/vms`]),
    host.query([TART_PROGRAM, 'list', '--source', 'oci', '--quiet']),
    host.readText(`${STATE}/images.json`),
    describePaths(host, [STATE, LOGS, AGENT_LOG]),
  ]);
  const present = new Set(linesOf(images.stdout));
  return {
    vms: [...new Set([...linesOf(vms.stdout), ...linesOf(bundles.stdout)])].filter(name => VM.test(name)),
    images: pulledImages(record).filter(name => present.has(name)),
    paths: [...paths.keys()],
  };
}

const linesOf = (text: string): string[] => text.split('\n').filter(line => line !== '');

/** Name of the VM of a Pod: `pod-<uid>-<attempt>`. */
const VM = /^pod-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}-\d{1,9}$/;
const IMAGE = /^[\w.:/-]+@sha256:[\da-f]{64}$/;

/** Images that the agent pulled, from its record. An unreadable record owns no image, as in the agent. */
export function pulledImages(record: string | undefined): string[] {
  try {
    const { images } = JSON.parse(record ?? '{}') as { readonly images?: Readonly<Record<string, unknown>> };
    return Object.keys(images ?? {}).filter(name => IMAGE.test(name));
  } catch {
    return [];
  }
}
