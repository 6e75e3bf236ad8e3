import type { Duration } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { flagValues, type ProgramFlags } from '@minifleet/kube';

export const RUNNERS_FLAG_WRONG = defineError('RUNNERS_FLAG_WRONG', {
  retry: 'operator',
  reason: 'RunnersFlagWrong',
  text: '{problem}; run `minifleet-runners --help` for the flags',
});

/** What the program is told on its command line, checked. Names that the provider or the older system have are kept. */
export interface Flags extends ProgramFlags {
  /** All when undefined. */
  readonly namespace: string | undefined;
  readonly forgeApiUrl: string | undefined;
  readonly lookEvery: Duration;
  readonly concurrency: number;
  readonly lostAfter: Duration;
  readonly terminatingAfter: Duration;
  readonly scalingSignalsUrl: string | undefined;
}

const OPTIONS = {
  kubeconfig: { type: 'string' },
  namespace: { type: 'string', default: 'tuist-runners' },
  'leader-elect': { type: 'boolean', default: false },
  'leader-elect-namespace': { type: 'string', default: 'minifleet-system' },
  'bind-address': { type: 'string', default: '0.0.0.0:8080' },
  'log-level': { type: 'string', default: 'info' },
  'forge-api-url': { type: 'string' },
  'forge-look-every': { type: 'string', default: '30s' },
  'pool-concurrency': { type: 'string', default: '8' },
  'lost-after': { type: 'string', default: '5m' },
  'terminating-after': { type: 'string', default: '5m' },
  'scaling-signals-url': { type: 'string' },
} as const;

const wrong = (problem: string): Error => RUNNERS_FLAG_WRONG({ problem });
const { read, count, duration, address, logLevel } = flagValues(wrong);

export function parseFlags(argv: readonly string[]): Flags {
  const values = read(argv, OPTIONS);
  return {
    kubeconfig: values.kubeconfig,
    namespace: values.namespace || undefined,
    leaderElect: values['leader-elect'],
    leaseNamespace: values['leader-elect-namespace'],
    bind: address('bind-address', values['bind-address']),
    logLevel: logLevel(values['log-level']),
    forgeApiUrl: url('forge-api-url', values['forge-api-url']),
    lookEvery: duration('forge-look-every', values['forge-look-every']),
    concurrency: atLeastOne('pool-concurrency', values['pool-concurrency']),
    lostAfter: duration('lost-after', values['lost-after']),
    terminatingAfter: duration('terminating-after', values['terminating-after']),
    scalingSignalsUrl: url('scaling-signals-url', values['scaling-signals-url']),
  };
}

function atLeastOne(flag: string, text: string): number {
  const number = count(flag, text);
  if (number < 1) throw wrong(`--${flag} ${text} would do nothing; it is at least 1`);
  return number;
}

function url(flag: string, text: string | undefined): string | undefined {
  if (!text) return undefined;
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw wrong(`--${flag} ${text} is not an address such as https://…`);
  return text;
}

export const HELP = `minifleet-runners: warm macOS VMs that each take one job

Each pool names the Secret of the GitHub App that its runners register with.

  --kubeconfig <file>              the cluster; the Pod’s own account unless given
  --namespace <name>               only pools there; tuist-runners, and all if empty, which needs rights in all
  --leader-elect                   one of several replicas works, by a Lease
  --leader-elect-namespace <name>  minifleet-system
  --bind-address <host:port>       /healthz, /readyz and /metrics; 0.0.0.0:8080
  --log-level <level>              debug, info, warn or error

  --forge-api-url <url>            the API of a GitHub Enterprise Server
  --forge-look-every <30s>         the least time between two lists of an account’s runners
  --pool-concurrency <8>           pools worked on at once
  --lost-after <5m>                how long a runner that the forge does not know or hear may take to end by itself
  --terminating-after <5m>         Pods Terminating longer, beyond their grace, count as stuck

  --scaling-signals-url <url>      who tells the demand on a pool: GET <url>?fleet=<pool>; only its busy runners unless given
  --version
`;
