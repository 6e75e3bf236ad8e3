/** Minifleet account in a cluster, and the permissions that the page checks with the API server. */
export interface Account {
  /** Name of the account on the page and in its columns. */
  readonly name: string;
  /** Sentence before the table: the account, and why it has these permissions. */
  readonly about: string;
  readonly user: string;
  /** Groups to impersonate. Empty for service accounts, because the API server adds their groups. */
  readonly groups: readonly string[];
  /** Rows of the table, by where: `resource[.group][/subresource] [name]`. */
  readonly rows: Readonly<Partial<Record<Place, readonly string[]>>>;
}

/** The verbs that have a column. */
export const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] as const;

/** Namespaces that questions are about; `team-a` has fleets, `default` stands for every other. */
export const NAMESPACES = ['minifleet-system', 'kube-system', 'team-a', 'tuist-runners', 'default'] as const;

/** `everywhere` is the whole cluster at once: a right in each of its namespaces by itself is not it. */
export type Place = (typeof NAMESPACES)[number] | 'everywhere' | 'kube-node-lease';

/** One question, as `kubectl auth can-i` is asked it. */
export interface Question {
  readonly verb: string;
  readonly what: string;
  readonly place: Place;
}

/** Arguments of `kubectl auth can-i`, without the impersonation. */
export function canIArguments({ verb, what, place }: Question): string[] {
  const [kind = '', name] = what.split(' ');
  const [resource = '', subresource] = kind.split('/');
  return [
    verb,
    name === undefined ? resource : `${resource}/${name}`,
    ...(subresource === undefined ? [] : [`--subresource=${subresource}`]),
    ...(place === 'everywhere' ? ['--all-namespaces'] : [`--namespace=${place}`]),
  ];
}

export const impersonation = ({ user, groups }: Pick<Account, 'user' | 'groups'>): string[] => [
  `--as=${user}`,
  ...groups.map(group => `--as-group=${group}`),
];
