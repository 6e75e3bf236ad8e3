// All labels, annotations, finalizers and taint keys that Minifleet reads or writes. Keys of the previous system are unchanged,
// so that a cluster can migrate object by object; new keys are under minifleet.dev.

export const groups = {
  infrastructure: 'infrastructure.cluster.x-k8s.io',
  controlPlane: 'controlplane.cluster.x-k8s.io',
  runners: 'tuist.dev',
  minifleet: 'minifleet.dev',
} as const;

export const version = 'v1alpha1';

/** Labels on Nodes, Machines and Pods. */
export const labels = {
  fleet: 'tuist.dev/fleet',
  runtime: 'tuist.dev/runtime',
  runner: 'tuist.dev/runner',
  runnerPool: 'tuist.dev/runner-pool',
  /** Name of the MacHost behind an object, for selecting by host. */
  host: 'minifleet.dev/host',
  /** On every Node with the Minifleet agent: the agent version. The kubelet version of the Node is the Kubernetes version that the agent implements. */
  agentVersion: 'minifleet.dev/agent-version',
  /** UID of the machine that a Secret or Service belongs to. */
  machineUID: 'minifleet.dev/machine-uid',
  /** On an object that a check of the command line creates and deletes: name of the check. */
  check: 'minifleet.dev/check',
} as const;

/** Extended resource for one of the VM slots of a Mac; a Pod requests it. */
export const vmSlotResource = 'minifleet.dev/macos-vm';

/** Prefix of Node labels for images that are ready to clone; the image hash follows. */
export const goldenLabelPrefix = 'tuist.dev/golden-';

export const labelValues = { runtimeTart: 'tart' } as const;

export const annotations = {
  /** On the key Secret: id of the fleet key at the vendor. The key name is that of the previous system. */
  sshKeyID: 'scaleway.tuist.dev/ssh-key-id',
  /** User who requested a quarantine or a detach. */
  requestedBy: 'minifleet.dev/requested-by',
  /** On a MacHost: when its machine claimed it. A Cluster that is younger is not the Cluster of that machine. */
  heldSince: 'minifleet.dev/held-since',
  /** On a machine of an older version: id of its host after the first complete bootstrap. `status.servedSince` of the MacHost replaces it. */
  served: 'minifleet.dev/served',
  /** On a MacHost whose Cluster is paused: its status, because clusterctl moves annotations and no status. */
  hostStatus: 'minifleet.dev/host-status',
  /** On a bootstrap token: `<namespace>/<name>` of the machine that may join with it. */
  machine: 'minifleet.dev/machine',
  /** On a Pod, `"true"`: its VM has a screen for remote viewing. */
  screen: 'minifleet.dev/screen',
  /** On the Secret of a runner, which records its registration: image, id in GitHub, and time of registration. */
  runnerImage: 'minifleet.dev/runner-image',
  runnerID: 'minifleet.dev/runner-id',
  mintedAt: 'minifleet.dev/minted-at',
  /** On the same Secret: Node of the Pod, and when the runner was first observed online and with a job. */
  runnerNode: 'minifleet.dev/runner-node',
  onlineSince: 'minifleet.dev/online-since',
  jobSince: 'minifleet.dev/job-since',
} as const;

export const finalizers = {
  machine: 'scalewayapplesilicon.cluster.x-k8s.io/finalizer',
  macMachine: 'macmachine.minifleet.dev/finalizer',
  cluster: 'scalewayapplesiliconcluster.minifleet.dev/finalizer',
  macCluster: 'maccluster.minifleet.dev/finalizer',
  controlPlane: 'externalcontrolplane.minifleet.dev/finalizer',
  /** On a HostClaim of an older version; removed with its conversion to a MacHost. */
  hostClaim: 'hostclaim.minifleet.dev/finalizer',
  /** Blocks the deletion of a MacHost while a machine holds it. */
  macHost: 'machost.minifleet.dev/finalizer',
  /** Blocks the deletion of a pool until its jobs have finished and its registrations are removed. */
  runnerPool: 'tuist.dev/runner-pool-drain',
  /** Set on Pods by the previous agent; Minifleet only removes it. */
  vmCleanup: 'tart-kubelet.tuist.dev/vm-cleanup',
} as const;

export const podConditions = {
  /** True: nothing of a deleted Pod is left on its host, but a finalizer still holds the Pod. */
  finished: 'minifleet.dev/Finished',
} as const;

export const taints = {
  macos: { key: 'tuist.dev/macos', value: 'true', effect: 'NoSchedule' },
  /** Additional taint on builders: a Pod that tolerates Macs must not run on hosts that build images. */
  builder: { key: 'minifleet.dev/builder', value: 'true', effect: 'NoSchedule' },
} as const;

/** Server names at the vendor. The name is the only mutable field of a server. */
export const vendorNames = {
  poolPrefix: 'tuist-pool-',
  /** Prefix of servers that the previous system was claiming. */
  claimPendingPrefix: 'tuist-claim-pending-',
} as const;

/** Scheme for a Scaleway server: `scw-applesilicon://<zone>/<server id>`. */
export const providerIDScheme = 'scw-applesilicon';
/** Scheme for an owned Mac: `machost://<name of the MacHost>`. */
export const ownedProviderIDScheme = 'machost';

/** Names that Cluster API defines. */
export const clusterApi = {
  category: 'cluster-api',
  contractLabel: 'cluster.x-k8s.io/v1beta2',
  clusterNameLabel: 'cluster.x-k8s.io/cluster-name',
  /** Name of the MachineDeployment, on objects that Cluster API created for it. */
  deploymentNameLabel: 'cluster.x-k8s.io/deployment-name',
  watchFilterLabel: 'cluster.x-k8s.io/watch-filter',
  pausedAnnotation: 'cluster.x-k8s.io/paused',
  managedByAnnotation: 'cluster.x-k8s.io/managed-by',
  deleteForMoveAnnotation: 'clusterctl.cluster.x-k8s.io/delete-for-move',
  blockMoveAnnotation: 'clusterctl.cluster.x-k8s.io/block-move',
  /** On CRDs: `clusterctl move` ignores CRDs without it. `clusterctl init` sets it; Helm and `kubectl apply` do not. */
  clusterctlLabel: 'clusterctl.cluster.x-k8s.io',
  moveLabel: 'clusterctl.cluster.x-k8s.io/move',
} as const;
