import type { OrganizationOptions } from './options.ts';

export interface RunnerGroup {
  readonly id: number;
  readonly name: string;
  readonly isDefault: boolean;
  /** Names of the repositories that may use the group; undefined for all. */
  readonly repositories?: readonly string[];
}

export interface Account {
  readonly id: number;
  readonly login: string;
  readonly groups: readonly RunnerGroup[];
  readonly repositories: readonly Repository[];
}

export interface Repository {
  readonly id: number;
  readonly name: string;
  readonly fullName: string;
  readonly owner: string;
}

/** Registration scope of a runner: an organization, or one repository of it. */
export interface Scope {
  readonly account: Account;
  readonly repository?: Repository;
}

/** Returns `acme` or `acme/app`, the path of the URL that a runner is configured with. */
export const scopePath = (scope: Scope): string => scope.repository?.fullName ?? scope.account.login;

/** Organizations and their repositories. Like GitHub, lookups by name ignore case. */
export interface Accounts {
  findAccount(login: string): Account | undefined;
  /** By `owner/name`. */
  findScope(path: string): Scope | undefined;
}

const FIRST_ACCOUNT = 1_000;
const FIRST_REPOSITORY = 500_000;

export function createAccounts(organizations: readonly OrganizationOptions[]): Accounts {
  const byLogin = new Map<string, Account>();
  let repositoryId = FIRST_REPOSITORY;
  for (const [index, { login, repositories = [], groups = [] }] of organizations.entries()) {
    byLogin.set(login.toLowerCase(), {
      id: FIRST_ACCOUNT + index,
      login,
      repositories: repositories.map(name => ({
        id: repositoryId++,
        name,
        fullName: `${login}/${name}`,
        owner: login,
      })),
      groups: [
        { id: 1, name: 'Default', isDefault: true },
        ...groups.map((group, position) => ({ ...group, id: position + 2, isDefault: false })),
      ],
    });
  }
  const findAccount = (login: string): Account | undefined => byLogin.get(login.toLowerCase());
  return {
    findAccount,
    findScope(path) {
      const [login = '', name, ...rest] = path.split('/');
      const account = findAccount(login);
      if (!account || rest.length > 0) return undefined;
      if (name === undefined) return { account };
      const repository = account.repositories.find(each => each.name.toLowerCase() === name.toLowerCase());
      return repository && { account, repository };
    },
  };
}
