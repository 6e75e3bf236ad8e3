/** Which rights on the Node a path asks for: any one of them is enough. */

interface Rule {
  readonly path: string;
  readonly subresources: readonly string[];
}

// `nodes/proxy` allows exec in every Pod of the Node; the narrow rights are there so that a scraper need not hold it.
const RULES: readonly Rule[] = [
  { path: '/stats', subresources: ['stats'] },
  { path: '/metrics', subresources: ['metrics'] },
  { path: '/logs', subresources: ['log'] },
  { path: '/checkpoint', subresources: ['checkpoint'] },
  { path: '/statusz', subresources: ['statusz'] },
  { path: '/flagz', subresources: ['configz'] },
  { path: '/pods', subresources: ['pods', 'proxy'] },
  { path: '/runningpods', subresources: ['pods', 'proxy'] },
  { path: '/healthz', subresources: ['healthz', 'proxy'] },
  { path: '/configz', subresources: ['configz', 'proxy'] },
];

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

export const subresourcesOf = (path: string): readonly string[] =>
  RULES.find(rule => path === rule.path || path.startsWith(`${rule.path}/`))?.subresources ?? ['proxy'];

/** Empty for a method that is none of the API's: no right ever allows it. */
export const verbOf = (method: string): string => VERBS[method] ?? '';
