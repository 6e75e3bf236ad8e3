import { execFile } from 'node:child_process';
import { findBinaries } from '@minifleet/local-cluster';
import { type Account, canIArguments, impersonation, type Question } from './account.ts';

type Who = Pick<Account, 'user' | 'groups'>;

/** kubectl itself, against one cluster. */
export interface Kubectl {
  /** Its output; rejects when it fails. */
  run(...argv: readonly string[]): Promise<string>;
  /** `done`, or what was said against it. An object is given to it on standard input. */
  outcome(argv: readonly string[], input?: object): Promise<string>;
  canI(who: Who, question: Question): Promise<'yes' | 'no'>;
  /** Each line of `--list`: what RBAC gives somebody in a namespace. */
  list(who: Who, namespace: string): Promise<Granted[]>;
}

export interface Granted {
  /** Empty where paths are given. */
  readonly resource: string;
  readonly paths: readonly string[];
  readonly names: readonly string[];
  readonly verbs: readonly string[];
}

/** `cacheDirectory`: what kubectl learns of the cluster's kinds is of this cluster only. */
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
  return {
    run,
    async outcome(argv, input) {
      const { code, stderr } = await start(argv, input);
      return code === 0 ? 'done' : stderr.trim().replace(/^Error from server[^:]*: /, '');
    },
    async canI(who, question) {
      const argv = ['auth', 'can-i', ...canIArguments(question), ...impersonation(who)];
      const { stdout, stderr } = await start(argv);
      // Of a kind that it does not find it asks without the group, and the answer means nothing.
      if (stderr.includes("doesn't have a resource type")) throw new Error(`kubectl ${argv.join(' ')}: ${stderr}`);
      const answer = stdout.trim().split(' ')[0];
      if (answer === 'yes' || answer === 'no') return answer;
      throw new Error(`kubectl ${argv.join(' ')}: ${stderr || stdout}`);
    },
    async list(who, namespace) {
      const argv = ['auth', 'can-i', '--list', '--no-headers', `--namespace=${namespace}`, ...impersonation(who)];
      return grantedIn(await run(...argv));
    },
  };
}

/** A line is `resource [paths] [names] [verbs]`, and a resource may be missing. */
export const grantedIn = (output: string): Granted[] =>
  output
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => {
      const [, resource = '', ...lists] = /^(\S*)\s+\[(.*?)\]\s+\[(.*?)\]\s+\[(.*?)\]\s*$/.exec(line) ?? [];
      if (lists.length !== 3) throw new Error(`kubectl auth can-i --list printed a line that is none: ${line}`);
      const [paths = [], names = [], verbs = []] = lists.map(list => list.split(' ').filter(word => word !== ''));
      return { resource, paths, names, verbs };
    });
