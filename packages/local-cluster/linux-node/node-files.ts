/** Configuration files of containerd, of the Pod network and of the kubelet. */
import path from 'node:path';

export type NodePlan = {
  /** All files of the Node. */
  readonly folder: string;
  readonly address: string;
  /** PEM file of the authority that signs client certificates. */
  readonly clientAuthorityFile: string;
  /** Existing group below which the kubelet creates those of the Pods. */
  readonly cgroup: string;
  /** Image of the process that holds the namespaces of a Pod. */
  readonly sandboxImage: string;
};

export const CONTAINERD_SOCKET = '/run/containerd/containerd.sock';
/** Debian's directory of the plugins. */
const CNI_PLUGINS = '/usr/lib/cni';

export const containerdConfig = ({ folder, sandboxImage }: NodePlan): string => `version = 2
root = "${path.join(folder, 'containerd')}"
state = "/run/containerd"
[grpc]
address = "${CONTAINERD_SOCKET}"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "${sandboxImage}"
# A machine that lacks CAP_SYS_RESOURCE cannot lower the score of a process.
restrict_oom_score_adj = true
disable_apparmor = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "${CNI_PLUGINS}"
conf_dir = "${path.join(folder, 'cni')}"
`;

/** Pods reach the addresses of the Node without address translation, because the bridge is their gateway. */
export const podNetwork = {
  cniVersion: '1.0.0',
  name: 'pods',
  plugins: [
    {
      type: 'bridge',
      bridge: 'pods0',
      isGateway: true,
      ipam: { type: 'host-local', ranges: [[{ subnet: '10.244.0.0/24' }]], routes: [{ dst: '0.0.0.0/0' }] },
    },
  ],
};

export const kubeletConfig = ({ folder, address, clientAuthorityFile, cgroup }: NodePlan) => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  address,
  authentication: {
    anonymous: { enabled: false },
    webhook: { enabled: true },
    x509: { clientCAFile: clientAuthorityFile },
  },
  authorization: { mode: 'Webhook' },
  serverTLSBootstrap: true,
  containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
  cgroupDriver: 'cgroupfs',
  cgroupRoot: `/${cgroup}`,
  // Version 1 is still what some machines have.
  failCgroupV1: false,
  failSwapOn: false,
  enforceNodeAllocatable: ['none'],
  // The disk of this machine belongs to others: a full one must not evict Pods, and no image may be removed.
  evictionHard: {
    'memory.available': '0%',
    'nodefs.available': '0%',
    'nodefs.inodesFree': '0%',
    'imagefs.available': '0%',
  },
  imageGCHighThresholdPercent: 100,
  podLogsDir: path.join(folder, 'pod-logs'),
  // There is no DNS server in the namespaces.
  resolvConf: '',
});
