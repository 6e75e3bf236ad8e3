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

/** Namespaces that the page asks about. `team-a` has fleets; `default` is an example of all others. */
export const NAMESPACES = ['minifleet-system', 'kube-system', 'team-a', 'tuist-runners', 'default'] as const;

/** `everywhere` is all namespaces with one request. A permission in each single namespace does not allow it. */
export type Place = (typeof NAMESPACES)[number] | 'everywhere' | 'kube-node-lease';

/** One question, as `kubectl auth can-i` takes it. */
export interface Question {
  readonly verb: string;
  readonly what: string;
  readonly place: Place;
}

/** Arguments of `kubectl auth can-i`, without the impersonation. */
export function canIArguments(question: Question): string[] {
  const { verb, what, place } = question;
  const { resource, name, subresource } = resourceOf(what);
  return [
    verb,
    name === undefined ? resource : `${resource}/${name}`,
    ...(subresource === undefined ? [] : [`--subresource=${subresource}`]),
    ...(place === 'everywhere' ? ['--all-namespaces'] : [`--namespace=${place}`]),
  ];
}

/** The same question as `resourceAttributes` of a SubjectAccessReview. */
export function resourceAttributes({ verb, what, place }: Question): Record<string, string> {
  const { resource, name, subresource } = resourceOf(what);
  const [plural = '', ...group] = resource.split('.');
  return {
    verb,
    resource: plural,
    group: plural === '*' ? '*' : group.join('.'),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
    ...(place === 'everywhere' ? {} : { namespace: place }),
  };
}

/** Parts of `resource[.group][/subresource] [name]`. */
export function resourceOf(what: string): {
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly name: string | undefined;
} {
  const [kind = '', name] = what.split(' ');
  const [resource = '', subresource] = kind.split('/');
  return { resource, subresource, name };
}

export const impersonation = ({ user, groups }: Pick<Account, 'user' | 'groups'>): string[] => [
  `--as=${user}`,
  ...groups.map(group => `--as-group=${group}`),
];
