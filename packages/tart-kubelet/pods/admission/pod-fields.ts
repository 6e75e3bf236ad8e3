import type { IPodSecurityContext, IPodSpec } from 'kubernetes-models/v1';
import { type FieldRules, ignored, refused, supported } from './field-rule.ts';

const SCHEDULER = ignored('the scheduler has acted on it before the Pod came here');
const VM_IS_THE_BOUNDARY = ignored('a VM shares no users, kernel or processes with its host');

/** Every field of a Pod's spec. */
export const podFields: FieldRules<IPodSpec> = {
  activeDeadlineSeconds: supported,
  affinity: supported,
  automountServiceAccountToken: ignored('the API server has turned it into a volume'),
  containers: refused<unknown[]>('a Pod is one VM: give it one container', containers => containers.length !== 1),
  dnsConfig: refused('the guest takes its DNS servers from its host by DHCP'),
  dnsPolicy: refused<string>('the guest takes its DNS servers from its host by DHCP', policy => policy === 'None'),
  enableServiceLinks: ignored('no variables are given for Services: a guest is outside the cluster network'),
  ephemeralContainers: refused('a Pod is one VM: use kubectl exec'),
  hostAliases: refused('/etc/hosts belongs to the image'),
  hostIPC: refused('a VM shares nothing of that kind with its host'),
  hostNetwork: refused('a guest has its own network; use the node agent’s port-forward'),
  hostPID: refused('a VM sees no processes of its host'),
  hostUsers: VM_IS_THE_BOUNDARY,
  hostname: ignored('the guest keeps the host name of its image; the downward API gives the Pod’s name'),
  hostnameOverride: refused('the guest keeps the host name of its image'),
  imagePullSecrets: supported,
  initContainers: refused('a Pod is one VM: do it in the command, or bake it into the image'),
  nodeName: supported,
  nodeSelector: supported,
  os: refused('Kubernetes knows linux and windows only: select macOS by nodeSelector kubernetes.io/os=darwin'),
  overhead: supported,
  preemptionPolicy: SCHEDULER,
  priority: SCHEDULER,
  priorityClassName: SCHEDULER,
  readinessGates: supported,
  resourceClaims: refused('a Mac has no devices to claim'),
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
  subdomain: ignored('it names DNS records, which the cluster makes from the Pod’s address'),
  terminationGracePeriodSeconds: supported,
  tolerations: SCHEDULER,
  topologySpreadConstraints: SCHEDULER,
  volumes: supported,
};

const USER = 'the process runs as the user of the image’s guest agent';
const NO_LINUX = 'macOS has nothing of that kind';
const restricting = ({ type }: { type: string }): boolean => type === 'Localhost';

/** Every field of a Pod's security context. What the restricted Pod security standard demands is taken. */
export const podSecurityFields: FieldRules<IPodSecurityContext> = {
  appArmorProfile: refused(NO_LINUX, restricting),
  fsGroup: ignored('shares belong to the user of the guest, whoever that is'),
  fsGroupChangePolicy: ignored('shares belong to the user of the guest, whoever that is'),
  runAsGroup: refused(USER),
  runAsNonRoot: ignored('the user of the guest agent is the one logged in at the screen'),
  runAsUser: refused<number>(USER, () => true),
  seLinuxChangePolicy: ignored(NO_LINUX),
  seLinuxOptions: refused(NO_LINUX),
  seccompProfile: refused(NO_LINUX, restricting),
  supplementalGroups: refused(USER),
  supplementalGroupsPolicy: ignored('without supplementalGroups it says nothing'),
  sysctls: refused('the kernel belongs to the image'),
  windowsOptions: refused('a guest is macOS'),
};
