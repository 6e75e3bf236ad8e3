import { defineError } from '@minifleet/errors';
import { defineFlags, flag, type ParsedFlags, programFlags } from '@minifleet/kube/program';

export const PROVIDER_FLAG_WRONG = defineError('PROVIDER_FLAG_WRONG', {
  retry: 'operator',
  reason: 'ProviderFlagWrong',
  text: '{problem}; run `minifleet-provider --help` for the flags',
});

/** Flags of the provider. Cluster API and the previous system use some of the same names, which must not change. */
const FLAGS = {
  ...programFlags,
  namespace: flag.text('namespace', {
    value: 'name',
    help: 'reconcile only objects in this namespace',
    unset: 'all namespaces',
  }),
  watchFilter: flag.text('watch-filter', {
    value: 'value',
    help: 'reconcile only objects with this value of the label cluster.x-k8s.io/watch-filter',
    unset: 'all objects',
  }),
  fleetFile: flag.text('fleet-file', {
    value: 'file',
    help: 'host configuration of the fleet, the part under `fleet` in docs/hosts.md',
  }),
  defaultPoolPrefix: flag.text('default-adopt-pool-prefix', {
    value: 'prefix',
    default: '',
    unset: 'none; such machines adopt no host',
    help: 'pool of machines that name no pool',
  }),
  sshAddressFile: flag.text('ssh-address-file', {
    value: 'file',
    help: 'JSON file with the SSH address of each server id, for hosts behind a tunnel',
    unset: "the vendor's addresses",
  }),
  vendorApiUrl: flag.url('vendor-api-url', { help: 'URL of the vendor API', unset: "the vendor's public API" }),
  forgeApiUrl: flag.url('forge-api-url', { help: 'API URL of a GitHub Enterprise Server', unset: 'github.com' }),
  tokenLife: flag.duration('bootstrap-token-life', { default: '30m', help: 'lifetime of a bootstrap token' }),
  rejoinAfter: flag.duration('rejoin-after', {
    default: '5m',
    help: 'time without a report of a Node until its agent gets a new bootstrap token',
  }),
  stuckAfter: flag.duration('stuck-after', {
    default: '10m',
    help: 'count a Pod as stuck if it is Terminating for longer',
  }),
  bootstrap: {
    concurrency: flag.count('bootstrap-concurrency', { default: '16', help: 'number of hosts configured in parallel' }),
    deadline: flag.duration('bootstrap-deadline', { default: '60m', help: 'time limit of one bootstrap attempt' }),
    rebootAfter: flag.count('bootstrap-reboot-after', {
      default: '3',
      help: 'consecutive failures after which the provider restarts the host through the vendor; 0 never restarts it',
    }),
    giveUpAfter: flag.count('bootstrap-max-attempts', {
      default: '8',
      help: 'consecutive failures after which the provider quarantines the host and claims another; 0 keeps the host',
    }),
  },
  inspection: {
    every: flag.duration('inspect-every', { default: '10m', help: 'interval between drift inspections of a host' }),
  },
  rolls: {
    maxUnavailable: flag.count('max-unavailable', {
      default: '1',
      help: 'hosts of a fleet that a rollout changes in parallel, after the first host',
    }),
    retryAfter: flag.duration('roll-retry-after', {
      default: '30m',
      help: 'time until a rollout that used up its attempts is retried',
    }),
  },
  discovery: {
    every: flag.duration('discovery-interval', {
      default: '1m',
      help: 'interval between lists of the vendor; up to 5m while nothing changes',
    }),
    zones: flag.list('zones', {
      value: 'zone,…',
      default: 'fr-par-1',
      help: 'zones to list, in addition to the zones of machines and hosts',
    }),
    reclaim: flag.switch(
      'reclaim-orphans',
      'return hosts whose machine no longer exists to their pool, instead of only reporting them',
    ),
  },
  clusterKubeconfig: {
    serviceAccount: flag.objectName('kubeconfig-service-account', {
      default: 'minifleet-system/capi-remote',
      help: 'service account in <cluster>-kubeconfig, with which Cluster API accesses its own cluster',
    }),
    life: flag.duration('kubeconfig-life', {
      default: '24h',
      help: 'lifetime of the token in <cluster>-kubeconfig; the provider renews it after half of that time',
    }),
  },
};

export type ProviderFlags = ParsedFlags<typeof FLAGS>;

export const providerFlags = defineFlags({
  program: 'minifleet-provider',
  summary: 'Cluster API infrastructure provider for Mac minis',
  notes: [
    'The environment variables SCW_ACCESS_KEY, SCW_SECRET_KEY and SCW_DEFAULT_PROJECT_ID hold the vendor credentials.',
    '`minifleet-provider wait-for-fleets` waits until fleets are Available; see its own --help.',
  ],
  flags: FLAGS,
  invalid: problem => PROVIDER_FLAG_WRONG({ problem }),
});
