import { PROGRAM_NAMESPACE } from '@minifleet/kube';
import { TOKEN_GROUP } from '@minifleet/provider/testing/join';
import { CAPI_REMOTE, PROVIDER } from '@minifleet/provider/testing/program';
import { RUNNERS } from '@minifleet/runners/testing/program';
import type { Account } from './account.ts';

const infrastructure = 'infrastructure.cluster.x-k8s.io';
const machines = `scalewayapplesiliconmachines.${infrastructure}`;
const macMachines = `macmachines.${infrastructure}`;
const requests = 'certificatesigningrequests.certificates.k8s.io';
const leases = 'leases.coordination.k8s.io';
const events = 'events.events.k8s.io';

const serviceAccount = (name: string) => ({ user: `system:serviceaccount:${PROGRAM_NAMESPACE}:${name}`, groups: [] });

export const GATE = 'minifleet-fleet-gate';

export const provider: Account = {
  name: PROVIDER,
  about:
    'The Cluster API provider claims Macs, joins them as Nodes and returns them. It writes its own resources, creates the bootstrap tokens of joining hosts and approves their certificates. It deletes the Node of a Mac that leaves its machine, because Cluster API deletes no Nodes of a Cluster that is being deleted. It reads and deletes `hostclaims` of the older version once, when it starts. It stores fleet keys only in namespaces with a binding to `minifleet-fleet-credentials` (here its own namespace and `team-a`). Bootstrap tokens are Secrets in `kube-system`, and RBAC cannot distinguish them from other Secrets there.',
  ...serviceAccount(PROVIDER),
  rows: {
    everywhere: [
      machines,
      `${machines}/status`,
      macMachines,
      `${macMachines}/status`,
      `scalewayapplesiliconclusters.${infrastructure}`,
      `scalewayapplesiliconclusters.${infrastructure}/status`,
      `macclusters.${infrastructure}`,
      `macclusters.${infrastructure}/status`,
      'machosts.minifleet.dev',
      'machosts.minifleet.dev/status',
      `hostclaims.${infrastructure}`,
      'externalcontrolplanes.controlplane.cluster.x-k8s.io',
      'externalcontrolplanes.controlplane.cluster.x-k8s.io/status',
      'clusters.cluster.x-k8s.io',
      'machinedeployments.cluster.x-k8s.io',
      'machines.cluster.x-k8s.io',
      'machines.cluster.x-k8s.io/status',
      requests,
      `${requests}/approval`,
      'nodes',
      'pods',
      events,
      'namespaces kube-system',
      'namespaces',
      'secrets',
    ],
    'minifleet-system': [
      'secrets',
      'configmaps',
      leases,
      `serviceaccounts/token ${CAPI_REMOTE}`,
      `serviceaccounts/token ${PROVIDER}`,
    ],
    'team-a': ['secrets', 'configmaps'],
    'kube-system': ['secrets', 'configmaps', leases],
    'tuist-runners': ['secrets'],
    default: ['secrets'],
  },
};

const runners: Account = {
  name: RUNNERS,
  about:
    'The RunnerPool controller creates a Pod and a Secret for each runner in namespaces with a binding to `minifleet-runner-pools` (here `tuist-runners`). Outside of these namespaces it reads only Nodes.',
  ...serviceAccount(RUNNERS),
  rows: {
    everywhere: ['nodes', 'pods', 'secrets', 'runnerpools.tuist.dev', machines],
    'tuist-runners': [
      'runnerpools.tuist.dev',
      'runnerpools.tuist.dev/status',
      'pods',
      'pods/log',
      'pods/status',
      'secrets',
      events,
    ],
    'minifleet-system': [leases, 'secrets', 'pods'],
    'team-a': ['secrets'],
    default: ['secrets', 'pods'],
  },
};

const remote: Account = {
  name: CAPI_REMOTE,
  about:
    'The user in the kubeconfig of the workload cluster (`<cluster>-kubeconfig`). Cluster API uses it to bind Machines to Nodes, to drain Nodes and to delete them. Anyone who reads the kubeconfig gets these permissions and no others.',
  ...serviceAccount(CAPI_REMOTE),
  rows: {
    everywhere: [
      'nodes',
      'namespaces',
      'pods',
      'pods/eviction',
      'daemonsets.apps',
      'volumeattachments.storage.k8s.io',
      'persistentvolumes',
      'secrets',
      machines,
    ],
    'minifleet-system': ['secrets'],
    'team-a': ['secrets'],
  },
};

const token: Account = {
  name: 'a joining host',
  about:
    'A Mac with a bootstrap token and without a certificate. It may create a certificate signing request and read the result. It may not approve the request.',
  user: 'system:bootstrap:abcdef',
  groups: ['system:bootstrappers', TOKEN_GROUP],
  rows: {
    everywhere: [
      requests,
      `${requests}/nodeclient`,
      `${requests}/selfnodeclient`,
      `${requests}/approval`,
      'nodes',
      'pods',
    ],
    'kube-system': ['secrets', 'configmaps'],
    'minifleet-system': ['secrets'],
  },
};

export const nodeAgent: Account = {
  name: 'the node agent',
  about:
    'The agent on the Mac `mac-1` has a node certificate and no RBAC role. The Node authorizer grants access to its own objects and to the Secrets that Pods on its Node reference. Here Pod `job` on `mac-1` references `job-key`, and Pod `other` on `mac-2` references `other-key`.',
  user: 'system:node:mac-1',
  groups: ['system:nodes'],
  rows: {
    everywhere: [
      'nodes mac-1',
      'nodes mac-2',
      'nodes',
      'nodes/status mac-1',
      'pods',
      'secrets',
      'configmaps',
      requests,
      `${requests}/selfnodeclient`,
      `${requests}/approval`,
      machines,
    ],
    'kube-node-lease': [`${leases} mac-1`, `${leases} mac-2`],
    'tuist-runners': ['pods job', 'pods other', 'pods/status job', 'secrets job-key', 'secrets other-key', 'secrets'],
    'minifleet-system': ['secrets'],
  },
};

const gate: Account = {
  name: GATE,
  about:
    'The Job of the chart that delays the end of `helm upgrade --wait` until the fleets are Available. It lists the fleets of its release and all MacHosts, and changes nothing.',
  ...serviceAccount(GATE),
  rows: {
    everywhere: [
      machines,
      macMachines,
      'machosts.minifleet.dev',
      'machinedeployments.cluster.x-k8s.io',
      'secrets',
      'pods',
    ],
    'minifleet-system': [machines, macMachines, 'machinedeployments.cluster.x-k8s.io', 'secrets', 'pods'],
    'team-a': [machines],
  },
};

export const ACCOUNTS: readonly Account[] = [provider, runners, remote, token, nodeAgent, gate];
