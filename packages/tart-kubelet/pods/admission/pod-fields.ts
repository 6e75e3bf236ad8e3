import type { IPodSecurityContext, IPodSpec } from 'kubernetes-models/v1';
import { type FieldRules, ignored, refused, supported } from './field-rule.ts';

const SCHEDULER = ignored('already evaluated by the scheduler');
const VM_IS_THE_BOUNDARY = ignored('a VM shares no users, kernel or processes with its host');

/** Every field of a Pod's spec. */
export const podFields: FieldRules<IPodSpec> = {
  activeDeadlineSeconds: supported,
  affinity: supported,
  automountServiceAccountToken: ignored('the API server has already added the volume'),
  containers: refused<unknown[]>(
    'a Pod is one VM and has exactly one container',
    containers => containers.length !== 1,
  ),
  dnsConfig: refused('the guest gets its DNS servers from its host by DHCP'),
  dnsPolicy: refused<string>('the guest gets its DNS servers from its host by DHCP', policy => policy === 'None'),
  enableServiceLinks: ignored('no Service variables are set: a guest is outside the cluster network'),
  ephemeralContainers: refused('a Pod is one VM: use kubectl exec'),
  hostAliases: refused('/etc/hosts belongs to the image'),
  hostIPC: refused('a VM shares no IPC with its host'),
  hostNetwork: refused('a guest has its own network; use the node agent’s port-forward'),
  hostPID: refused('a VM sees no processes of its host'),
  hostUsers: VM_IS_THE_BOUNDARY,
  hostname: ignored('the guest keeps the host name of its image; the downward API gives the Pod’s name'),
  hostnameOverride: refused('the guest keeps the host name of its image'),
  imagePullSecrets: supported,
  initContainers: refused('a Pod is one VM: use the command or build it into the image'),
  nodeName: supported,
  nodeSelector: supported,
  os: refused('Kubernetes accepts only linux and windows: use nodeSelector kubernetes.io/os=darwin'),
  overhead: supported,
  preemptionPolicy: SCHEDULER,
  priority: SCHEDULER,
  priorityClassName: SCHEDULER,
  readinessGates: supported,
  resourceClaims: refused('the node has no devices to claim'),
  resources: supported,
  restartPolicy: supported,
  runtimeClassName: ignored('its selector, tolerations and overhead have been applied; there is one runtime'),
  schedulerName: SCHEDULER,
  schedulingGates: SCHEDULER,
  schedulingGroup: SCHEDULER,
  securityContext: supported,
  serviceAccount: supported,
  serviceAccountName: supported,
  setHostnameAsFQDN: refused('the guest keeps the host name of its image'),
  shareProcessNamespace: ignored('there is one container'),
  subdomain: ignored('the cluster creates the DNS records from the Pod’s address'),
  terminationGracePeriodSeconds: supported,
  tolerations: SCHEDULER,
  topologySpreadConstraints: SCHEDULER,
  volumes: supported,
};

const USER = 'the process runs as the user of the image’s guest agent';
const NO_LINUX = 'macOS has no equivalent';
const restricting = ({ type }: { type: string }): boolean => type === 'Localhost';

/**
 * Rules for every field of a Pod's security context. Values required by the restricted Pod security standard are
 * accepted.
 */
export const podSecurityFields: FieldRules<IPodSecurityContext> = {
  appArmorProfile: refused(NO_LINUX, restricting),
  fsGroup: ignored('shares belong to the guest user'),
  fsGroupChangePolicy: ignored('shares belong to the guest user'),
  runAsGroup: refused(USER),
  runAsNonRoot: ignored('the guest agent runs as the logged-in user'),
  runAsUser: refused<number>(USER, () => true),
  seLinuxChangePolicy: ignored(NO_LINUX),
  seLinuxOptions: refused(NO_LINUX),
  seccompProfile: refused(NO_LINUX, restricting),
  supplementalGroups: refused(USER),
  supplementalGroupsPolicy: ignored('it has no effect without supplementalGroups'),
  sysctls: refused('the kernel belongs to the image'),
  windowsOptions: refused('a guest is macOS'),
};
