import { eventually } from '@minifleet/clock/testing';
import { type Account, impersonation, NAMESPACES, type Place, type Question, VERBS } from './account.ts';
import { ACCOUNTS } from './accounts.ts';
import type { Granted, Kubectl } from './kubectl-answers.ts';
import { REFUSALS, type Refusal } from './refusals.ts';
import { TRIALS, type Trial } from './trials.ts';

export type Answer = 'yes' | 'no';

export interface Row {
  readonly what: string;
  readonly place: Place;
  /** In the order of VERBS. */
  readonly answers: readonly Answer[];
}

export interface RecordedAccount {
  readonly account: Account;
  readonly rows: readonly Row[];
  /** Permissions that `--list` prints in each namespace, without those that every account has. */
  readonly granted: GrantedByNamespace;
}

export interface RecordedAccess {
  readonly accounts: readonly RecordedAccount[];
  /** In the order of the accounts. */
  readonly refusals: readonly { readonly refusal: Refusal; readonly answers: readonly Answer[] }[];
  readonly trials: readonly { readonly trial: Trial; readonly said: string }[];
}

/** Queries a cluster for everything on the page. */
export async function recordAccess(kubectl: Kubectl): Promise<RecordedAccess> {
  const common = new Map<string, readonly Granted[]>();
  for (const namespace of NAMESPACES) common.set(namespace, await kubectl.list(NOBODY, namespace));
  const accounts = await inTurn(ACCOUNTS, async account => ({
    account,
    rows: await inTurn(rowsOf(account), async ({ what, place }) => {
      const questions = VERBS.map((verb): Question => ({ verb, what, place }));
      return { what, place, answers: await Promise.all(questions.map(question => kubectl.canI(account, question))) };
    }),
    granted: await grantedTo(kubectl, account, common),
  }));
  const refusals = await inTurn(REFUSALS, async refusal => ({
    refusal,
    answers: await Promise.all(ACCOUNTS.map(account => kubectl.canI(account, refusal))),
  }));
  const trials = await inTurn(TRIALS, async trial => ({ trial, said: await outcomeOf(kubectl, trial) }));
  return { accounts, refusals, trials };
}

const rowsOf = ({ rows }: Account): { readonly what: string; readonly place: Place }[] =>
  (Object.entries(rows) as [Place, readonly string[]][]).flatMap(([place, all]) => all.map(what => ({ what, place })));

const NOBODY = { user: 'system:serviceaccount:default:nobody', groups: [] };

type GrantedByNamespace = ReadonlyMap<string, readonly Granted[]>;

/** Permissions of an account without those in `common`, which every account has. */
async function grantedTo(kubectl: Kubectl, account: Account, common: GrantedByNamespace): Promise<GrantedByNamespace> {
  const lists = await inTurn(NAMESPACES, async (namespace): Promise<[string, readonly Granted[]]> => {
    const shared = new Set(common.get(namespace)?.map(one => JSON.stringify(one)));
    return [namespace, (await kubectl.list(account, namespace)).filter(one => !shared.has(JSON.stringify(one)))];
  });
  return new Map(lists);
}

/** Retries until the answer matches the trial, because a policy takes effect a moment after its creation. */
const outcomeOf = (kubectl: Kubectl, { argv, by, input, answer }: Trial): Promise<string> =>
  eventually(
    async () => {
      const said = await kubectl.outcome([...argv, ...impersonation(by)], input);
      if (!answer.test(said)) throw new Error(said);
      return said;
    },
    { what: `${answer} as the answer to kubectl ${argv.join(' ')}` },
  );

/** One after the other: a row already sends seven requests at once. */
async function inTurn<In, Out>(all: readonly In[], each: (one: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  for (const one of all) results.push(await each(one));
  return results;
}
