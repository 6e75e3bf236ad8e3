import { execFile } from 'node:child_process';
import { systemClock } from '@minifleet/clock';
import { type Client, connectClient, readKubeconfig } from '@minifleet/kube';
import { findBinaries } from '@minifleet/local-cluster';
import {
  type Account,
  canIArguments,
  impersonation,
  type Question,
  resourceAttributes,
  resourceOf,
} from './account.ts';

type User = Pick<Account, 'user' | 'groups'>;

/** kubectl and the authorization API of one cluster. */
export interface Kubectl {
  /** Resolves with the output of kubectl; rejects when it fails. */
  run(...argv: readonly string[]): Promise<string>;
  /** `done`, or the error message of the server. `input` is passed on standard input. */
  outcome(argv: readonly string[], input?: object): Promise<string>;
  /** Sends the review behind `kubectl auth can-i`: one kubectl for each of 800 questions took 100 s of processor time. */
  canI(user: User, question: Question): Promise<'yes' | 'no'>;
  /** Lines of `kubectl auth can-i --list`: the RBAC permissions of a user in a namespace. */
  list(user: User, namespace: string): Promise<Granted[]>;
  close(): Promise<void>;
}

export interface Granted {
  /** Empty where paths are given. */
  readonly resource: string;
  readonly paths: readonly string[];
  readonly names: readonly string[];
  readonly verbs: readonly string[];
}

/** `cacheDirectory` keeps the discovery cache of this cluster apart from others. */
export async function openKubectl(kubeconfig: string, cacheDirectory: string): Promise<Kubectl> {
  const { kubectl } = await findBinaries({ programs: ['kubectl'] });
  const start = (argv: readonly string[], input?: object) =>
    new Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>(resolve => {
      const all = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${cacheDirectory}`, ...argv];
      const child = execFile(kubectl, all, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
      );
      child.stdin?.end(input === undefined ? '' : JSON.stringify(input));
    });
  const run = async (...argv: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await start(argv);
    if (code !== 0) throw new Error(`kubectl ${argv.join(' ')}: ${stderr || stdout}`);
    return stdout;
  };
  const client = connectClient(readKubeconfig(kubeconfig), { clock: systemClock });
  let served: Promise<ReadonlySet<string>> | undefined;
  const resources = async (): Promise<ReadonlySet<string>> => {
    const names = await run('api-resources', '--output=name');
    return new Set([...names.split('\n'), ...NOT_LISTED]);
  };
  return {
    run,
    close: () => client.close(),
    async outcome(argv, input) {
      const { code, stderr } = await start(argv, input);
      return code === 0 ? 'done' : stderr.trim().replace(/^Error from server[^:]*: /, '');
    },
    async canI(user, question) {
      served ??= resources();
      // The authorizer answers `no` for a resource that does not exist, which would hide a typing error.
      const { resource } = resourceOf(question.what);
      if (!(await served).has(resource)) throw new Error(`${canIArguments(question).join(' ')}: no such resource`);
      return (await isAllowed(client, user, question)) ? 'yes' : 'no';
    },
    async list(user, namespace) {
      const argv = ['auth', 'can-i', '--list', '--no-headers', `--namespace=${namespace}`, ...impersonation(user)];
      return grantedIn(await run(...argv));
    },
  };
}

/** Resources that the authorizer knows and discovery does not list. */
const NOT_LISTED = ['*', 'users', 'groups'];

async function isAllowed(client: Client, { user, groups }: User, question: Question): Promise<boolean> {
  const spec = {
    user,
    groups: ['system:authenticated', ...groups, ...serviceAccountGroups(user)],
    resourceAttributes: resourceAttributes(question),
  };
  const answer = await client.send({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec },
  });
  return (JSON.parse(answer) as { status: { allowed: boolean } }).status.allowed;
}

/** Groups that the API server adds to a service account, also when it is impersonated. */
function serviceAccountGroups(user: string): string[] {
  const [, namespace] = /^system:serviceaccount:([^:]+):/.exec(user) ?? [];
  return namespace === undefined ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** A line is `resource [paths] [names] [verbs]`. The resource may be missing. */
export const grantedIn = (output: string): Granted[] =>
  output
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => {
      const [, resource = '', ...lists] = /^(\S*)\s+\[(.*?)\]\s+\[(.*?)\]\s+\[(.*?)\]\s*$/.exec(line) ?? [];
      if (lists.length !== 3) throw new Error(`kubectl auth can-i --list printed an unexpected line: ${line}`);
      const [paths = [], names = [], verbs = []] = lists.map(list => list.split(' ').filter(word => word !== ''));
      return { resource, paths, names, verbs };
    });
