/** A fleet as the older system leaves it: its objects, Secrets and files, with a stand-in for its agent and VMs that run. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { names, type ScalewayAppleSiliconMachine, scalewayAppleSiliconMachine } from '@minifleet/api';
import { milliseconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { customResourceDefinitions } from '@minifleet/kube';
import type { PrepareMac, World } from '@minifleet/world';
import {
  agentOnMac,
  type BuiltMac,
  encodePassword,
  execute,
  jobProgramsOf,
  m1,
  machO,
  root,
} from '@minifleet/world/mac';
import { plist } from '@minifleet/world/testing';
import { hasAquaSession, loginWindowSettings, tartBundle } from '@minifleet/world/testing/mac';
import type { Server } from '@minifleet/world/testing/scaleway';
import type { FleetBench } from './fleet-bench.ts';
import { createKubectlDriver } from './kubectl-driver.ts';

const LABEL = 'dev.tuist.tart-kubelet';
const PROGRAM = '/usr/local/bin/tart-kubelet';
const OLDER = 'agent of the older system';
const LOG = '/var/log/tart-kubelet.log';
const KUBECONFIG = '/etc/tart-kubelet/kubeconfig';

interface OlderAgents {
  /** For the bench: launchd starts the stand-in while the program of the older system is installed. */
  readonly prepareMac: PrepareMac;
  removeFolders(): void;
}

export function olderAgents(): OlderAgents {
  const folder = mkdtempSync(join(tmpdir(), 'o-'));
  const binary = join(folder, 'older-agent');
  const main = fileURLToPath(new URL('./older-agent.ts', import.meta.url));
  writeFileSync(binary, `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`);
  chmodSync(binary, 0o755);
  let macs = 0;
  return {
    prepareMac(mac) {
      const programs = jobProgramsOf(mac);
      const ours = programs.get(PROGRAM);
      macs += 1;
      const directory = join(folder, `m${macs}`);
      mkdirSync(directory);
      const older = agentOnMac(mac, { directory, binary });
      const isOlder = (): boolean => mac.files.read(root, PROGRAM).includes(OLDER);
      programs.set(PROGRAM, {
        spawn(start) {
          const spawn = (isOlder() ? older : ours)?.spawn;
          if (!spawn) throw new Error(`${PROGRAM} has no program`);
          return spawn(start);
        },
      });
    },
    removeFolders: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Replaces the CRD of machines with one that accepts every field, as that of the older system accepts its own. */
export async function installOlderCrd(bench: FleetBench): Promise<void> {
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const crd = scalewayAppleSiliconMachine.crd();
  const versions = crd.spec.versions.map(version => ({ ...version, schema: { openAPIV3Schema: schema } }));
  await applyCrd(bench, { ...crd, spec: { ...crd.spec, versions } });
}

export const installOwnCrd = (bench: FleetBench): Promise<void> => applyCrd(bench, scalewayAppleSiliconMachine.crd());

const applyCrd = async ({ admin }: FleetBench, crd: object): Promise<void> => {
  await admin.apply(customResourceDefinitions, crd as never, { fieldManager: 'e2e', force: true });
};

export interface OlderHost {
  readonly machine: string;
  readonly server: Server;
  readonly mac: BuiltMac;
  readonly vms: readonly string[];
}

/** Name that the older agent gives the VM of a Pod. */
export const olderVmName = (pod: string): string => `default-${pod}`;

interface OlderHostOptions {
  readonly machine: ScalewayAppleSiliconMachine;
  readonly server: Server;
  /** Pods with a running VM. */
  readonly pods: readonly string[];
}

/** Does what the older provider and agent do for a machine, up to a Ready Node with running Pods. */
export async function serveAsOlderSystem(
  bench: FleetBench,
  { machine, server, pods }: OlderHostOptions,
): Promise<OlderHost> {
  const { name } = machine.metadata;
  const { world } = bench;
  const driver = createKubectlDriver(bench);
  const mac = world.hosts.all.get(server.id)?.mac;
  if (!mac) throw new Error(`no Mac for ${server.id}`);
  await rename(world, server, name);
  for (const object of identityOf(name)) await driver.apply(object);
  await driver.apply(credentialsOf(name, server.password));
  await driver.apply(nodeOf(name, server));
  await bootstrap(bench, mac, { name, password: server.password });
  const vms = pods.map(olderVmName);
  const asUser = (command: string) => execute(mac, command);
  await asUser('/usr/local/bin/tart create older-base --from-ipsw latest');
  for (const vm of vms) await asUser(`/usr/local/bin/tart clone older-base ${vm}`);
  await startAgent(mac, { name, vms });
  for (const pod of pods) {
    await driver.apply(podOf(pod, name));
    await patchStatus(driver, 'pod', pod, runningStatus(olderVmName(pod)));
  }
  const spec = { providerID: providerIDOf(server), fleetName: 'runners', kubeletVersion: '', hostCPU: 0 };
  const metadata = { finalizers: [names.finalizers.machine] };
  await driver.ok('patch', 'samm', name, '--type=merge', '-p', JSON.stringify({ metadata, spec }));
  await patchStatus(driver, 'samm', name, machineStatus(server));
  return { machine: name, server: world.scaleway.console.server(server.id), mac, vms };
}

const patchStatus = (driver: ReturnType<typeof createKubectlDriver>, kind: string, name: string, status: object) =>
  driver.ok('patch', kind, name, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status }));

const providerIDOf = ({ id, zone }: Server): string => `${names.providerIDScheme}://${zone}/${id}`;

async function rename({ scaleway }: World, { id, zone }: Server, name: string): Promise<void> {
  const { secretKey, apiURL } = scaleway.apiFor();
  const answer = await fetch(`${apiURL}/apple-silicon/v1alpha1/zones/${zone}/servers/${id}`, {
    method: 'PATCH',
    headers: { 'x-auth-token': secretKey, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

const AT = '2026-05-19T10:00:00Z';
const inDefault = (name: string) => ({ namespace: 'default', name });

/** ServiceAccount of the older agent with a token that does not expire, and its permissions. */
const identityOf = (machine: string): object[] => {
  const name = `tart-kubelet-${machine}`;
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: inDefault(name) },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/service-account-token',
      metadata: { ...inDefault(`${name}-token`), annotations: { 'kubernetes.io/service-account.name': name } },
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'tart-kubelet' },
      rules: [{ apiGroups: [''], resources: ['nodes', 'nodes/status', 'pods', 'pods/status'], verbs: ['*'] }],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'tart-kubelet' },
      subjects: [{ kind: 'ServiceAccount', ...inDefault(name) }],
    },
  ];
};

const credentialsOf = (machine: string, password: string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: inDefault(`${machine}-bootstrap`),
  stringData: { 'sudo-password': password, 'ssh-username': m1.name },
});

const nodeOf = (name: string, server: Server): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    labels: {
      ...{ 'kubernetes.io/os': 'darwin', 'kubernetes.io/hostname': name },
      ...{ [names.labels.runtime]: names.labelValues.runtimeTart, [names.labels.fleet]: 'runners' },
    },
  },
  spec: { taints: [names.taints.macos], providerID: providerIDOf(server) },
});

/** Cluster API reads `initialization` as it read `ready` under the older contract. Conditions that are True have no reason. */
const machineStatus = ({ id, ip }: Server): object => ({
  ready: true,
  initialization: { provisioned: true },
  serverID: id,
  addresses: [{ type: 'ExternalIP', address: ip }],
  phase: 'Ready',
  conditions: ['Bootstrapped', 'Provisioned'].map(type => ({ type, status: 'True', lastTransitionTime: AT })),
  tartKubeletBinarySHA: 'a'.repeat(64),
  hostConfigHash: 'b'.repeat(64),
});

const podOf = (name: string, node: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...inDefault(name), finalizers: [names.finalizers.vmCleanup] },
  spec: {
    ...{ nodeName: node, restartPolicy: 'Never', terminationGracePeriodSeconds: 2 },
    tolerations: [{ operator: 'Exists' }],
    containers: [{ name: 'main', image: 'ghcr.io/acme/macos:1' }],
  },
});

const runningStatus = (vm: string): object => {
  const image = 'ghcr.io/acme/macos:1';
  const state = { running: { startedAt: AT } };
  const container = { name: 'main', image, imageID: '', restartCount: 0, ready: true, started: true, state };
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: AT }];
  return {
    phase: 'Running',
    startTime: AT,
    conditions,
    containerStatuses: [{ ...container, containerID: `tart://${vm}` }],
  };
};

interface BootstrapOptions {
  readonly name: string;
  readonly password: string;
}

/** Files of the older bootstrap, and its login at the screen. */
async function bootstrap(bench: FleetBench, mac: BuiltMac, { name, password }: BootstrapOptions): Promise<void> {
  for (const [path, content] of Object.entries(tartBundle())) put(mac, `/usr/local/lib/${path}`, content, 0o755);
  put(mac, '/usr/local/bin/tart', '#!/bin/sh\nexec /usr/local/lib/tart.app/Contents/MacOS/tart "$@"\n', 0o755);
  put(mac, PROGRAM, machO(OLDER), 0o755);
  put(mac, '/etc/sudoers.d/m1-nopasswd', 'm1 ALL=(ALL) NOPASSWD: ALL\n', 0o440);
  put(mac, LOG, '', 0o644);
  mac.files.chown(root, LOG, m1.uid, m1.gid);
  put(mac, KUBECONFIG, await kubeconfigOf(bench, name), 0o600);
  mac.files.chown(root, KUBECONFIG, m1.uid, m1.gid);
  loginWindowSettings(mac).loginTakes = milliseconds(50);
  mac.files.write(root, '/etc/kcpassword', encodePassword(password), { mode: 0o600 });
  mac.files.write(root, '/Library/Preferences/com.apple.loginwindow.plist', plist({ autoLoginUser: m1.name }));
  await execute(mac, 'launchctl kickstart -k system/com.apple.loginwindow', { user: root });
  await eventually(() => hasAquaSession(mac, m1.uid), { what: 'the Aqua session' });
}

function put(mac: BuiltMac, path: string, content: string | Buffer, mode: number): void {
  mac.files.makeDirectory(root, path.slice(0, path.lastIndexOf('/')), { parents: true });
  mac.files.write(root, path, content, { mode });
}

async function kubeconfigOf(bench: FleetBench, machine: string): Promise<string> {
  const { cluster } = bench;
  const driver = createKubectlDriver(bench);
  const secret = await eventually(
    async () => {
      const text = await driver.ok('get', 'secret', `tart-kubelet-${machine}-token`, '-o', 'json');
      const { data } = JSON.parse(text) as { data?: Record<string, string> };
      return data?.['token'] && data;
    },
    { what: 'the token of the ServiceAccount' },
  );
  const token = Buffer.from(secret['token'] ?? '', 'base64').toString();
  const to = { server: cluster.server, 'certificate-authority-data': secret['ca.crt'] };
  return JSON.stringify({ clusters: [{ name: 'older', cluster: to }], users: [{ name: 'older', user: { token } }] });
}

async function startAgent(mac: BuiltMac, { name, vms }: { name: string; vms: readonly string[] }): Promise<void> {
  const job = {
    Label: LABEL,
    ProgramArguments: [
      ...[PROGRAM, `--node-name=${name}`, `--kubeconfig=${KUBECONFIG}`, '--host-cpu=8', '--host-memory-mb=16384'],
      ...['--max-pods=3', '--tart=/usr/local/bin/tart', `--vms=${vms.join('+')}`],
    ],
    UserName: m1.name,
    ...{ KeepAlive: true, RunAtLoad: true, ThrottleInterval: 10 },
    StandardOutPath: LOG,
    StandardErrorPath: LOG,
    EnvironmentVariables: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' },
  };
  put(mac, `/Library/LaunchDaemons/${LABEL}.plist`, plist(job), 0o644);
  await execute(mac, `launchctl bootstrap system /Library/LaunchDaemons/${LABEL}.plist`, { user: root });
}
