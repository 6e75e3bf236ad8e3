import { PROGRAM_NAMESPACE } from '@minifleet/kube';
import { TOKEN_GROUP } from '@minifleet/provider/testing/join';
import { CAPI_REMOTE, PROVIDER } from '@minifleet/provider/testing/program';
import { RUNNERS } from '@minifleet/runners/testing/program';
import type { Account } from './account.ts';

const infrastructure = 'infrastructure.cluster.x-k8s.io';
const machines = `scalewayapplesiliconmachines.${infrastructure}`;
const requests = 'certificatesigningrequests.certificates.k8s.io';
const leases = 'leases.coordination.k8s.io';
const events = 'events.events.k8s.io';

const serviceAccount = (name: string) => ({ user: `system:serviceaccount:${PROGRAM_NAMESPACE}:${name}`, groups: [] });

export const GATE = 'minifleet-fleet-gate';

export const provider: Account = {
  name: PROVIDER,
  about:
    'The Cluster API provider: it claims Macs, makes them nodes and gives them back, so it writes its own kinds, mints the tokens that hosts join with, approves their certificates, and keeps the keys of fleets in those namespaces alone that are bound to `minifleet-fleet-credentials` (here its own and `team-a`). Tokens are Secrets of `kube-system`, and RBAC cannot tell them from the others there.',
  ...serviceAccount(PROVIDER),
  rows: {
    everywhere: [
      machines,
      `${machines}/status`,
      `scalewayapplesiliconclusters.${infrastructure}`,
      `scalewayapplesiliconclusters.${infrastructure}/status`,
      `hostclaims.${infrastructure}`,
      `hostclaims.${infrastructure}/status`,
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
    'The controller of runner pools: it makes a Pod and a Secret for each runner, so it has both in the namespaces that are bound to `minifleet-runner-pools` (here `tuist-runners`), and elsewhere it sees Nodes and nothing more.',
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
    'A Mac that holds a bootstrap token and no certificate yet: it may ask for a certificate and look whether it was given, and it may not approve itself.',
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
    'The agent on the Mac `mac-1`, with the certificate of a node and no role of ours: the Node authorizer gives it its own objects, and of Secrets those that a Pod bound to it names (here the Pod `job` names `job-key`; `other` and `other-key` are those of `mac-2`).',
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
    'The job of the chart that holds `helm upgrade --wait` until the fleets are Available: it looks at fleets and Macs of its release, and changes nothing.',
  ...serviceAccount(GATE),
  rows: {
    everywhere: [machines, 'machinedeployments.cluster.x-k8s.io', 'secrets', 'pods'],
    'minifleet-system': [machines, 'machinedeployments.cluster.x-k8s.io', 'secrets', 'pods'],
    'team-a': [machines],
  },
};

export const ACCOUNTS: readonly Account[] = [provider, runners, remote, token, nodeAgent, gate];
