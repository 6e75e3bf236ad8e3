import type { Duration } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { flagValues, type ProgramFlags } from '@minifleet/kube';

export const PROVIDER_FLAG_WRONG = defineError('PROVIDER_FLAG_WRONG', {
  retry: 'operator',
  reason: 'ProviderFlagWrong',
  text: '{problem}; run `minifleet-provider --help` for the flags',
});

/** What the provider is told on its command line, checked. Names that Cluster API or the older system have are kept. */
export interface Flags extends ProgramFlags {
  readonly namespace: string | undefined;
  readonly watchFilter: string | undefined;
  readonly fleetFile: string | undefined;
  readonly sshAddressFile: string | undefined;
  readonly vendorApiUrl: string | undefined;
  readonly forgeApiUrl: string | undefined;
  readonly inventory: { readonly namespace: string; readonly name: string } | undefined;
  readonly defaultPoolPrefix: string;
  readonly zones: readonly string[];
  readonly bootstrapConcurrency: number;
  readonly bootstrapDeadline: Duration;
  readonly rebootAfter: number;
  readonly giveUpAfter: number;
  readonly inspectEvery: Duration;
  readonly maxUnavailable: number;
  readonly rollRetryAfter: Duration;
  readonly tokenLife: Duration;
  readonly sweepEvery: Duration;
  readonly reclaimOrphans: boolean;
  readonly stuckAfter: Duration;
  readonly kubeconfigServiceAccount: { readonly namespace: string; readonly name: string };
  readonly kubeconfigLife: Duration;
}

const OPTIONS = {
  kubeconfig: { type: 'string' },
  namespace: { type: 'string' },
  'watch-filter': { type: 'string' },
  'leader-elect': { type: 'boolean', default: false },
  'leader-elect-namespace': { type: 'string', default: 'minifleet-system' },
  'bind-address': { type: 'string', default: '0.0.0.0:8080' },
  'log-level': { type: 'string', default: 'info' },
  'fleet-file': { type: 'string' },
  'ssh-address-file': { type: 'string' },
  'vendor-api-url': { type: 'string' },
  'forge-api-url': { type: 'string' },
  inventory: { type: 'string' },
  'default-adopt-pool-prefix': { type: 'string', default: '' },
  zones: { type: 'string', default: 'fr-par-1' },
  'bootstrap-concurrency': { type: 'string', default: '16' },
  'bootstrap-deadline': { type: 'string', default: '60m' },
  'bootstrap-reboot-after': { type: 'string', default: '3' },
  'bootstrap-max-attempts': { type: 'string', default: '8' },
  'inspect-every': { type: 'string', default: '10m' },
  'max-unavailable': { type: 'string', default: '1' },
  'roll-retry-after': { type: 'string', default: '30m' },
  'bootstrap-token-life': { type: 'string', default: '30m' },
  'orphan-reclaim-interval': { type: 'string', default: '15m' },
  'reclaim-orphans': { type: 'boolean', default: false },
  'stuck-after': { type: 'string', default: '10m' },
  'kubeconfig-service-account': { type: 'string', default: 'minifleet-system/capi-remote' },
  'kubeconfig-life': { type: 'string', default: '24h' },
} as const;

const { read, count, duration, address, objectName, logLevel } = flagValues(problem =>
  PROVIDER_FLAG_WRONG({ problem }),
);

export function parseFlags(argv: readonly string[]): Flags {
  const values = read(argv, OPTIONS);
  return {
    kubeconfig: values.kubeconfig,
    namespace: values.namespace || undefined,
    watchFilter: values['watch-filter'] || undefined,
    leaderElect: values['leader-elect'],
    leaseNamespace: values['leader-elect-namespace'],
    bind: address('bind-address', values['bind-address']),
    logLevel: logLevel(values['log-level']),
    fleetFile: values['fleet-file'],
    sshAddressFile: values['ssh-address-file'],
    vendorApiUrl: values['vendor-api-url'],
    forgeApiUrl: values['forge-api-url'],
    inventory: values.inventory === undefined ? undefined : objectName('inventory', values.inventory),
    defaultPoolPrefix: values['default-adopt-pool-prefix'],
    zones: values.zones.split(',').filter(zone => zone !== ''),
    bootstrapConcurrency: count('bootstrap-concurrency', values['bootstrap-concurrency']),
    bootstrapDeadline: duration('bootstrap-deadline', values['bootstrap-deadline']),
    rebootAfter: count('bootstrap-reboot-after', values['bootstrap-reboot-after']),
    giveUpAfter: count('bootstrap-max-attempts', values['bootstrap-max-attempts']),
    inspectEvery: duration('inspect-every', values['inspect-every']),
    maxUnavailable: count('max-unavailable', values['max-unavailable']),
    rollRetryAfter: duration('roll-retry-after', values['roll-retry-after']),
    tokenLife: duration('bootstrap-token-life', values['bootstrap-token-life']),
    sweepEvery: duration('orphan-reclaim-interval', values['orphan-reclaim-interval']),
    reclaimOrphans: values['reclaim-orphans'],
    stuckAfter: duration('stuck-after', values['stuck-after']),
    kubeconfigServiceAccount: objectName('kubeconfig-service-account', values['kubeconfig-service-account']),
    kubeconfigLife: duration('kubeconfig-life', values['kubeconfig-life']),
  };
}

export const HELP = `minifleet-provider: Mac minis as the machines of Cluster API

The vendor’s key comes by environment: SCW_ACCESS_KEY, SCW_SECRET_KEY, SCW_DEFAULT_PROJECT_ID.

  --kubeconfig <file>                   the cluster; the Pod’s own account unless given
  --namespace <name>                    only objects there; all unless given
  --watch-filter <value>                only objects whose label cluster.x-k8s.io/watch-filter is this
  --leader-elect                        one of several replicas works, by a Lease
  --leader-elect-namespace <name>       minifleet-system
  --bind-address <host:port>            /healthz, /readyz and /metrics; 0.0.0.0:8080
  --log-level <level>                   debug, info, warn or error

  --fleet-file <file>                   what is wanted of every host: docs/hosts.md, the part under \`fleet\`
  --default-adopt-pool-prefix <prefix>  for machines that name no pool; none adopt anything without one
  --zones <zone,…>                      zones that are swept for lost hosts, besides those of machines; fr-par-1
  --inventory <namespace/name>          ConfigMap that lists Macs of your own
  --ssh-address-file <file>             JSON: where SSH answers for a server id, for hosts behind a tunnel
  --vendor-api-url <url>                another API than the vendor’s public one
  --forge-api-url <url>                 the API of a GitHub Enterprise Server

  --bootstrap-concurrency <16>          hosts worked on at once
  --bootstrap-deadline <60m>            for one run on a host
  --bootstrap-reboot-after <3>          failures before the host is restarted; 0 never
  --bootstrap-max-attempts <8>          failures before the host is put aside and another taken; 0 never
  --bootstrap-token-life <30m>
  --inspect-every <10m>                 how often a host that is as wanted is looked at
  --max-unavailable <1>                 hosts of a fleet that roll at once, after the first
  --roll-retry-after <30m>              when a roll that used up its attempts is tried again

  --orphan-reclaim-interval <15m>       how often hosts without a machine are looked for
  --reclaim-orphans                     and given back to the pool; only reported unless given
  --stuck-after <10m>                   Pods Terminating longer count as stuck
  --kubeconfig-service-account <namespace/name>  who core is in its own cluster; minifleet-system/capi-remote
  --kubeconfig-life <24h>               of the token minted for it; renewed at half of it
  --version

\`minifleet-provider wait-for-fleets\` waits until fleets are Available; it has a help of its own.
`;
