import { parseArgs } from 'node:util';
import { defineError } from '@minifleet/errors';
import { parseNodeLabels } from '../node/node-labels.ts';
import { type NodeTaint, parseNodeTaints } from '../node/node-settings.ts';
import type { LogLevel } from '../observe/agent-log.ts';

export const AGENT_FLAG_WRONG = defineError('AGENT_FLAG_WRONG', {
  retry: 'operator',
  reason: 'AgentFlagWrong',
  text: '{problem}; run `tart-kubelet --help` for the flags',
});

/** What the agent is told on its command line, checked. */
export interface Flags {
  readonly nodeName: string;
  readonly kubeconfig: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly NodeTaint[];
  readonly providerId: string | undefined;
  readonly hostCpu: number | undefined;
  readonly hostMemoryMb: number | undefined;
  readonly maxPods: number;
  readonly nodeIp: string | undefined;
  readonly disableVmGc: boolean;
  readonly goldenImages: readonly string[];
  /** Unless given, as the Pods have it. */
  readonly bootTimeoutSeconds: number | undefined;
  readonly port: number;
  readonly healthPort: number;
  readonly tart: string;
  readonly stateDirectory: string;
  readonly logDirectory: string;
  readonly logLevel: LogLevel;
}

const OPTIONS = {
  'node-name': { type: 'string' },
  kubeconfig: { type: 'string', default: '/etc/tart-kubelet/kubeconfig' },
  'node-labels': { type: 'string', default: '' },
  'register-with-taints': { type: 'string', default: '' },
  'provider-id': { type: 'string' },
  'host-cpu': { type: 'string' },
  'host-memory-mb': { type: 'string' },
  'max-pods': { type: 'string', default: '3' },
  'node-ip': { type: 'string' },
  'disable-vm-gc': { type: 'boolean', default: false },
  'golden-images': { type: 'string', default: '' },
  'boot-timeout-seconds': { type: 'string' },
  port: { type: 'string', default: '10250' },
  'healthz-port': { type: 'string', default: '10248' },
  tart: { type: 'string', default: 'tart' },
  'state-dir': { type: 'string', default: '/var/lib/tart-kubelet' },
  'log-dir': { type: 'string', default: '/var/log/tart-kubelet' },
  'log-level': { type: 'string', default: 'info' },
} as const;

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** `hostname` is the name where none is given. */
export function parseFlags(argv: readonly string[], hostname: string): Flags {
  const values = read(argv);
  const level = LEVELS.find(each => each === values['log-level']);
  if (!level) throw wrong(`--log-level ${values['log-level']} is none of ${LEVELS.join(', ')}`);
  return {
    nodeName: (values['node-name'] ?? hostname).toLowerCase(),
    kubeconfig: values.kubeconfig,
    labels: parseNodeLabels(values['node-labels']),
    taints: parseNodeTaints(values['register-with-taints']),
    providerId: values['provider-id'],
    hostCpu: count('host-cpu', values['host-cpu']),
    hostMemoryMb: count('host-memory-mb', values['host-memory-mb']),
    maxPods: count('max-pods', values['max-pods']) ?? 3,
    nodeIp: values['node-ip'],
    disableVmGc: values['disable-vm-gc'],
    goldenImages: values['golden-images'].split(',').filter(name => name !== ''),
    bootTimeoutSeconds: count('boot-timeout-seconds', values['boot-timeout-seconds']),
    port: count('port', values.port) ?? 0,
    healthPort: count('healthz-port', values['healthz-port']) ?? 0,
    tart: values.tart,
    stateDirectory: values['state-dir'],
    logDirectory: values['log-dir'],
    logLevel: level,
  };
}

function read(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, strict: true }).values;
  } catch (error) {
    throw wrong(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
  }
}

const wrong = (problem: string): Error => AGENT_FLAG_WRONG({ problem });

/** 0 counts as not said, as bootstraps before ours wrote it. */
function count(flag: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '0') return undefined;
  if (!/^\d+$/.test(text)) throw wrong(`--${flag} ${text} is not a whole number`);
  return Number(text);
}

export const HELP = `tart-kubelet: the node agent of a Mac; a Pod is a macOS VM

  --node-name <name>         of the Node; the Mac's own name unless given
  --kubeconfig <file>        where the cluster is, with a bootstrap token for the first start
  --node-labels <k=v,…>      more labels of the Node
  --register-with-taints <k=v:effect,…>  more taints of a Node that is not there yet
  --provider-id <id>         scw-applesilicon://<zone>/<id>
  --node-ip <address>        instead of the first address of the Mac
  --host-cpu, --host-memory-mb, --max-pods <count>
  --disable-vm-gc            collect nothing: for hosts that bake images
  --golden-images <name,…>   images that are never collected
  --boot-timeout-seconds <300>  a guest that does not answer by then is ended, and the stage it was stuck in is named
  --port <10250>, --healthz-port <10248>
  --tart <program>           Tart, by its name on PATH or its path
  --state-dir <directory>    /var/lib/tart-kubelet
  --log-dir <directory>      /var/log/tart-kubelet
  --log-level <level>        debug, info, warn or error
  --version
`;
