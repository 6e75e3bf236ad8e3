import { defineError } from '@minifleet/errors';
import { defineFlags, flag, flagType, type ParsedFlags, programFlags } from '@minifleet/kube/program';

export const RUNNERS_FLAG_WRONG = defineError('RUNNERS_FLAG_WRONG', {
  retry: 'operator',
  reason: 'RunnersFlagWrong',
  text: '{problem}; run `minifleet-runners --help` for the flags',
});

/** A namespace; empty is every namespace. */
const namespace = flagType('name', text => text || undefined);

/** Flags of the runners program. The provider and the previous system use some of the same names, which must not change. */
const FLAGS = {
  ...programFlags,
  namespace: namespace('namespace', {
    default: 'tuist-runners',
    help: 'namespace of the pools; an empty value means all namespaces and requires permissions in all of them',
  }),
  forgeApiUrl: flag.url('forge-api-url', { help: 'API URL of a GitHub Enterprise Server', unset: 'github.com' }),
  lookEvery: flag.duration('forge-look-every', {
    default: '30s',
    help: 'minimum interval between two requests for the runner list of an account',
  }),
  concurrency: flag.positive('pool-concurrency', { default: '8', help: 'number of pools reconciled in parallel' }),
  lostAfter: flag.duration('lost-after', {
    default: '5m',
    help: 'time that a runner which GitHub does not know or reports as offline has to end by itself',
  }),
  stuckAfter: flag.duration('terminating-after', {
    default: '5m',
    help: 'count a Pod as stuck if it is Terminating for longer than its grace period and this time',
  }),
  scalingSignalsUrl: flag.url('scaling-signals-url', {
    help: 'URL of the scaling signals of a pool, requested as GET <url>?fleet=<pool>',
    unset: 'busy runners of the pool',
  }),
};

export type RunnersFlags = ParsedFlags<typeof FLAGS>;

export const runnersFlags = defineFlags({
  program: 'minifleet-runners',
  summary: 'pools of warm macOS VMs that each run one job',
  notes: ['Each pool names the Secret of the GitHub App that registers its runners.'],
  flags: FLAGS,
  invalid: problem => RUNNERS_FLAG_WRONG({ problem }),
});
