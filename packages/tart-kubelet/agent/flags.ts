import { defineError } from '@minifleet/errors';
import { defineFlags, flag, flagType, type ParsedFlags, parseCount, programFlags } from '@minifleet/kube/program';
import { parseNodeLabels } from '../node/node-labels.ts';
import { parseNodeTaints } from '../node/node-settings.ts';

const AGENT_FLAG_WRONG = defineError('AGENT_FLAG_WRONG', {
  retry: 'operator',
  reason: 'AgentFlagWrong',
  text: '{problem}; run `tart-kubelet --help` for the flags',
});

const DEFAULT_MAX_PODS = 3;

/** `0` means unset, because the previous bootstrap wrote it. */
const countOrUnset = flagType('count', (text, invalid) => parseCount(text, invalid) || undefined);

const FLAGS = {
  nodeName: flag.text('node-name', { value: 'name', help: 'name of the Node', unset: "the Mac's name" }),
  kubeconfig: flag.text('kubeconfig', {
    value: 'file',
    default: '/etc/tart-kubelet/kubeconfig',
    help: 'address of the cluster, with a bootstrap token for the first start',
  }),
  labels: flagType('key=value,…', parseNodeLabels)('node-labels', {
    default: '',
    unset: 'none',
    help: 'additional labels of the Node; the agent refuses to start with labels that NodeRestriction forbids',
  }),
  taints: flagType('key=value:effect,…', parseNodeTaints)('register-with-taints', {
    default: '',
    unset: 'none',
    help:
      'taints of the Node in addition to `tuist.dev/macos`; only applied when the Node is created, because NodeRestriction ' +
      'forbids later changes',
  }),
  providerId: flag.text('provider-id', {
    value: 'id',
    unset: 'none',
    help: '`scw-applesilicon://<zone>/<id>`; set at registration, patched when empty, never overwritten',
  }),
  nodeIp: flag.text('node-ip', { value: 'address', help: 'address of the Node', unset: "the Mac's first address" }),
  hostCpu: countOrUnset('host-cpu', { help: 'CPU capacity of the Node', unset: "the Mac's CPUs" }),
  hostMemoryMb: countOrUnset('host-memory-mb', { help: 'memory capacity of the Node', unset: "the Mac's memory" }),
  maxPods: flagType('count', (text, invalid) => parseCount(text, invalid) || DEFAULT_MAX_PODS)('max-pods', {
    default: String(DEFAULT_MAX_PODS),
    help: 'maximum number of Pods',
  }),
  disableVmGc: flag.switch('disable-vm-gc', 'turn off garbage collection, for hosts that bake images'),
  goldenImages: flag.list('golden-images', {
    value: 'image,…',
    default: '',
    unset: 'none',
    help: 'images that are never garbage-collected',
  }),
  bootTimeoutSeconds: countOrUnset('boot-timeout-seconds', {
    unset: '300',
    help: 'end a VM as `BootTimedOut` if its guest agent does not respond within this time',
  }),
  port: flag.count('port', { value: 'port', default: '10250', help: 'port of the kubelet server' }),
  healthPort: flag.count('healthz-port', {
    value: 'port',
    default: '10248',
    help: 'port of /livez, /readyz and /healthz, on loopback only',
  }),
  tart: flag.text('tart', { value: 'program', default: 'tart', help: 'name on PATH, or path, of Tart' }),
  stateDirectory: flag.text('state-dir', {
    value: 'directory',
    default: '/var/lib/tart-kubelet',
    help: 'folder for records and volumes',
  }),
  logDirectory: flag.text('log-dir', {
    value: 'directory',
    default: '/var/log/tart-kubelet',
    help: 'folder for logs',
  }),
  logLevel: programFlags.logLevel,
};

export interface AgentFlags extends ParsedFlags<typeof FLAGS> {
  readonly nodeName: string;
}

export const agentFlags = defineFlags({
  program: 'tart-kubelet',
  summary: 'node agent of a Mac that runs each Pod as a macOS VM',
  flags: FLAGS,
  invalid: problem => AGENT_FLAG_WRONG({ problem }),
});

/** `hostname` is the default name of the Node. */
export function parseAgentFlags(argv: readonly string[], hostname: string): AgentFlags {
  const flags = agentFlags.parse(argv);
  return { ...flags, nodeName: (flags.nodeName ?? hostname).toLowerCase() };
}
