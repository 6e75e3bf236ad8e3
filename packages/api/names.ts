// Every label, annotation, finalizer and taint key we write or read. Keys of the seeds' system are kept to the letter,
// so that a cluster can move over object by object; new ones are under minifleet.dev.

export const groups = {
  infrastructure: 'infrastructure.cluster.x-k8s.io',
  controlPlane: 'controlplane.cluster.x-k8s.io',
  runners: 'tuist.dev',
} as const;

export const version = 'v1alpha1';

/** Ours, on Nodes, Machines and Pods. */
export const labels = {
  fleet: 'tuist.dev/fleet',
  runtime: 'tuist.dev/runtime',
  runner: 'tuist.dev/runner',
  runnerPool: 'tuist.dev/runner-pool',
  /** Server id of the host behind an object, for selecting by host. */
  host: 'minifleet.dev/host',
  /** On every Node whose agent is ours: the agent's version. Its kubelet version is that of the contract it keeps. */
  agentVersion: 'minifleet.dev/agent-version',
  /** UID of the machine a Secret or Service was made for. */
  machineUID: 'minifleet.dev/machine-uid',
} as const;

/** What a Pod asks for to get one of the VMs that a Mac may run at a time. */
export const vmSlotResource = 'minifleet.dev/macos-vm';

/** A Node holds the image whose hash follows, ready to be cloned. */
export const goldenLabelPrefix = 'tuist.dev/golden-';

export const labelValues = { runtimeTart: 'tart' } as const;

export const annotations = {
  /** Id of the fleet key at the vendor, written by the older system on the key Secret. */
  sshKeyID: 'scaleway.tuist.dev/ssh-key-id',
  /** Who asked for a quarantine or a detach; shown to the next person. */
  requestedBy: 'minifleet.dev/requested-by',
  /** On a HostClaim: when its holder took it. A Cluster younger than that is not the holder's. */
  heldSince: 'minifleet.dev/held-since',
  /** On a machine: its host, once that has been as wanted and may serve. clusterctl moves no status, but this. */
  served: 'minifleet.dev/served',
  /** On a bootstrap token: `<namespace>/<name>` of the machine it lets join. */
  machine: 'minifleet.dev/machine',
  /** On a Pod, `"true"`: its guest has a screen that can be looked at. */
  screen: 'minifleet.dev/screen',
  /** On the Secret of a runner, which is the record of its registration: its image, its id in the forge, and when it was made there. */
  runnerImage: 'minifleet.dev/runner-image',
  runnerID: 'minifleet.dev/runner-id',
  mintedAt: 'minifleet.dev/minted-at',
  /** On the same: where its Pod runs, when it was first seen online, and when with a job. */
  runnerNode: 'minifleet.dev/runner-node',
  onlineSince: 'minifleet.dev/online-since',
  jobSince: 'minifleet.dev/job-since',
} as const;

export const finalizers = {
  machine: 'scalewayapplesilicon.cluster.x-k8s.io/finalizer',
  cluster: 'scalewayapplesiliconcluster.minifleet.dev/finalizer',
  controlPlane: 'externalcontrolplane.minifleet.dev/finalizer',
  /** Holds a claim until its host is back in the pool. */
  hostClaim: 'hostclaim.minifleet.dev/finalizer',
  /** Holds a pool until its jobs have finished and its registrations are gone. */
  runnerPool: 'tuist.dev/runner-pool-drain',
  /** Put on Pods by the older agent; we only ever remove it. */
  vmCleanup: 'tart-kubelet.tuist.dev/vm-cleanup',
} as const;

export const podConditions = {
  /** True: nothing of a Pod that is being deleted is left on its host, and a finalizer still holds it. */
  finished: 'minifleet.dev/Finished',
} as const;

export const taints = {
  macos: { key: 'tuist.dev/macos', value: 'true', effect: 'NoSchedule' },
  /** On builders beside it: whoever tolerates Macs does not mean those that bake images. */
  builder: { key: 'minifleet.dev/builder', value: 'true', effect: 'NoSchedule' },
} as const;

/** Names at the vendor: the only mutable mark a server there has. */
export const vendorNames = {
  poolPrefix: 'tuist-pool-',
  /** A server in the middle of a claim by the older system. */
  claimPendingPrefix: 'tuist-claim-pending-',
} as const;

export const providerIDScheme = 'scw-applesilicon';

/** Names of Cluster API that we must honour. */
export const clusterApi = {
  category: 'cluster-api',
  contractLabel: 'cluster.x-k8s.io/v1beta2',
  clusterNameLabel: 'cluster.x-k8s.io/cluster-name',
  /** On what core made for a MachineDeployment: its name. */
  deploymentNameLabel: 'cluster.x-k8s.io/deployment-name',
  watchFilterLabel: 'cluster.x-k8s.io/watch-filter',
  pausedAnnotation: 'cluster.x-k8s.io/paused',
  managedByAnnotation: 'cluster.x-k8s.io/managed-by',
  deleteForMoveAnnotation: 'clusterctl.cluster.x-k8s.io/delete-for-move',
  blockMoveAnnotation: 'clusterctl.cluster.x-k8s.io/block-move',
  /** On CRDs: clusterctl looks at no others when it moves a cluster. Its `init` sets it; Helm and `kubectl apply` do not. */
  clusterctlLabel: 'clusterctl.cluster.x-k8s.io',
  moveLabel: 'clusterctl.cluster.x-k8s.io/move',
} as const;
