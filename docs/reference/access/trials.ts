import type { Account } from './account.ts';
import { nodeAgent, provider } from './accounts.ts';

/** Request that is sent as a server-side dry run, because admission denies more than `can-i` reports. */
export interface Trial {
  readonly by: Account;
  readonly argv: readonly string[];
  /** Object for `--filename=-`. */
  readonly input?: object;
  readonly answer: RegExp;
}

const patch = (what: readonly string[], body: object): string[] => [
  'patch',
  ...what,
  '--type=merge',
  `--patch=${JSON.stringify(body)}`,
  '--dry-run=server',
];
const job = ['pod', 'job', '--namespace=tuist-runners'];
const labels = (key: string) => ({ metadata: { labels: { [key]: 'a' } } });

// `--raw` where kubectl would first read the object, because reading it is already denied.
export const TRIALS: readonly Trial[] = [
  { by: nodeAgent, argv: patch(['node', 'mac-1'], labels('example.com/rack')), answer: /^done$/ },
  {
    by: nodeAgent,
    argv: ['replace', '--raw=/api/v1/nodes/mac-2?dryRun=All', '--filename=-'],
    input: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'mac-2' } },
    answer: /is not allowed to modify node/,
  },
  {
    by: nodeAgent,
    argv: patch(['node', 'mac-1'], labels('node-restriction.kubernetes.io/team')),
    answer: /is not allowed to modify labels/,
  },
  {
    by: nodeAgent,
    argv: patch(['node', 'mac-1'], { spec: { taints: null } }),
    answer: /is not allowed to modify taints/,
  },
  {
    by: nodeAgent,
    argv: ['delete', '--raw=/api/v1/namespaces/tuist-runners/pods/other?dryRun=All'],
    answer: /can only delete pods with spec.nodeName set to itself/,
  },
  {
    by: nodeAgent,
    argv: ['create', '--raw=/api/v1/namespaces/default/pods?dryRun=All', '--filename=-'],
    input: {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'new' } },
      spec: { nodeName: 'mac-1', containers: [{ name: 'vm', image: 'macos' }] },
    },
    answer: /can only create mirror pods/,
  },
  { by: provider, argv: patch(job, labels('app')), answer: /may not change the labels/ },
  { by: provider, argv: patch(job, { spec: { activeDeadlineSeconds: 1 } }), answer: /may not change the spec/ },
];
