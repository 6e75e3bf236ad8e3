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
  resizePolicy: ignored('a running guest is not resized; a resize stays pending'),
  resources: supported,
  restartPolicy: refused('use the Pod’s restartPolicy'),
  restartPolicyRules: refused('use the Pod’s restartPolicy'),
  securityContext: supported,
  startupProbe: supported,
  stdin: ignored('the process reads nothing; attach shows its output, exec has input'),
  stdinOnce: ignored('the process reads nothing; attach shows its output, exec has input'),
  terminationMessagePath: ignored(
    'the file would be inside the guest; use terminationMessagePolicy FallbackToLogsOnError',
  ),
  terminationMessagePolicy: supported,
  tty: ignored('the process has no terminal; exec has one'),
  volumeDevices: refused('a Mac has no block volumes to give'),
  volumeMounts: supported,
  workingDir: supported,
};

const USER = 'the process runs as the user of the image’s guest agent';
const NO_LINUX = 'macOS has nothing of that kind';
const restricting = ({ type }: { type: string }): boolean => type === 'Localhost';

/** Every field of a container's security context. What the restricted Pod security standard demands is taken. */
export const securityFields: FieldRules<ISecurityContext> = {
  allowPrivilegeEscalation: ignored('what a process may become inside its VM is up to the image'),
  appArmorProfile: refused(NO_LINUX, restricting),
  capabilities: refused<{ add?: string[] }>(NO_LINUX, ({ add }) => (add ?? []).length > 0),
  privileged: refused('a VM has no way to its host'),
  procMount: refused<string>(NO_LINUX, mount => mount !== 'Default'),
  readOnlyRootFilesystem: refused('the disk of a guest is its own clone, and macOS needs to write to it'),
  runAsGroup: refused<number>(USER, () => true),
  runAsNonRoot: ignored('the user of the guest agent is the one logged in at the screen'),
  runAsUser: refused<number>(USER, () => true),
  seLinuxOptions: refused(NO_LINUX),
  seccompProfile: refused(NO_LINUX, restricting),
  windowsOptions: refused('a guest is macOS'),
};

export const portFields: FieldRules<IContainerPort> = {
  containerPort: supported,
  hostIP: refused('a guest has its own address; ports of the host are not given away'),
  hostPort: refused('a guest has its own address; ports of the host are not given away'),
  name: supported,
  protocol: supported,
};

export const resourceFields: FieldRules<IResourceRequirements> = {
  claims: refused('a Mac has no devices to claim'),
  limits: supported,
  requests: supported,
};

export const mountFields: FieldRules<IVolumeMount> = {
  mountPath: ignored('a volume is at /Volumes/My Shared Files/<its name>; env/mounts there lists the paths asked for'),
  mountPropagation: refused<string>('shares do not propagate', mode => mode !== 'None'),
  name: supported,
  readOnly: supported,
  recursiveReadOnly: ignored('a share is read-only with all that is in it'),
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
  tcpSocket: refused('Kubernetes itself has given it up for hooks'),
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
