/** Somebody of ours in a cluster, and what is asked of the API server about them. */
export interface Account {
  /** How the page and its columns call them. */
  readonly name: string;
  /** Who it is and why it may: the sentence before the table. */
  readonly about: string;
  readonly user: string;
  /** Of service accounts the API server knows them itself. */
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

/** What follows `kubectl auth can-i`, who asks apart. */
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
