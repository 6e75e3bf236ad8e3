import type {
  IContainer,
  IContainerPort,
  ILifecycle,
  ILifecycleHandler,
  IProbe,
  IResourceRequirements,
  ISecurityContext,
  IVolumeMount,
} from 'kubernetes-models/v1';
import { type FieldRules, ignored, refused, supported } from './field-rule.ts';

/** Every field of a container. */
export const containerFields: FieldRules<IContainer> = {
  args: supported,
  command: supported,
  env: supported,
  envFrom: supported,
  image: supported,
  imagePullPolicy: supported,
  lifecycle: supported,
  livenessProbe: supported,
  name: supported,
  ports: supported,
  readinessProbe: supported,
  resizePolicy: ignored('a running VM cannot be resized; a resize stays pending'),
  resources: supported,
  restartPolicy: refused('use the Pod’s restartPolicy'),
  restartPolicyRules: refused('use the Pod’s restartPolicy'),
  securityContext: supported,
  startupProbe: supported,
  stdin: ignored('the process has no stdin; attach shows its output, exec accepts input'),
  stdinOnce: ignored('the process has no stdin; attach shows its output, exec accepts input'),
  terminationMessagePath: ignored(
    'the file would be inside the guest; use terminationMessagePolicy FallbackToLogsOnError',
  ),
  terminationMessagePolicy: supported,
  tty: ignored('the process has no terminal; exec has one'),
  volumeDevices: refused('the node has no block volumes'),
  volumeMounts: supported,
  workingDir: supported,
};

const USER = 'the process runs as the user of the image’s guest agent';
const NO_LINUX = 'macOS has no equivalent';
const restricting = ({ type }: { type: string }): boolean => type === 'Localhost';

/**
 * Rules for every field of a container's security context. Values required by the restricted Pod security standard are
 * accepted.
 */
export const securityFields: FieldRules<ISecurityContext> = {
  allowPrivilegeEscalation: ignored('privileges inside the VM depend on the image'),
  appArmorProfile: refused(NO_LINUX, restricting),
  capabilities: refused<{ add?: string[] }>(NO_LINUX, ({ add }) => (add ?? []).length > 0),
  privileged: refused('a VM has no access to its host'),
  procMount: refused<string>(NO_LINUX, mount => mount !== 'Default'),
  readOnlyRootFilesystem: refused('the guest disk is a private clone, and macOS must write to it'),
  runAsGroup: refused<number>(USER, () => true),
  runAsNonRoot: ignored('the guest agent runs as the logged-in user'),
  runAsUser: refused<number>(USER, () => true),
  seLinuxOptions: refused(NO_LINUX),
  seccompProfile: refused(NO_LINUX, restricting),
  windowsOptions: refused('a guest is macOS'),
};

export const portFields: FieldRules<IContainerPort> = {
  containerPort: supported,
  hostIP: refused('a guest has its own address; host ports cannot be used'),
  hostPort: refused('a guest has its own address; host ports cannot be used'),
  name: supported,
  protocol: supported,
};

export const resourceFields: FieldRules<IResourceRequirements> = {
  claims: refused('the node has no devices to claim'),
  limits: supported,
  requests: supported,
};

export const mountFields: FieldRules<IVolumeMount> = {
  mountPath: ignored('a volume is at /Volumes/My Shared Files/<name>; env/mounts there lists the requested paths'),
  mountPropagation: refused<string>('shares do not propagate', mode => mode !== 'None'),
  name: supported,
  readOnly: supported,
  recursiveReadOnly: ignored('a read-only share is read-only recursively'),
  subPath: refused('a share is the whole volume'),
  subPathExpr: refused('a share is the whole volume'),
};

export const lifecycleFields: FieldRules<ILifecycle> = {
  postStart: supported,
  preStop: supported,
  stopSignal: refused('a guest is shut down, not signalled'),
};

export const hookFields: FieldRules<ILifecycleHandler> = {
  exec: supported,
  httpGet: supported,
  sleep: supported,
  tcpSocket: refused('deprecated in Kubernetes for hooks'),
};

export const probeFields: FieldRules<IProbe> = {
  exec: supported,
  failureThreshold: supported,
  grpc: supported,
  httpGet: supported,
  initialDelaySeconds: supported,
  periodSeconds: supported,
  successThreshold: supported,
  tcpSocket: supported,
  terminationGracePeriodSeconds: supported,
  timeoutSeconds: supported,
};
