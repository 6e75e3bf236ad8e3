/** The allowed directions of imports: see docs/adr/0003-rooms-and-imports.md. */

/** Packages that each package may import. Everything else is forbidden. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  clock: [],
  errors: ['clock'],
  secret: [],
  x509: [],
  api: [],
  kube: ['clock', 'errors', 'secret', 'api'],
  host: ['clock', 'errors', 'secret'],
  'spec-file': ['host', 'secret'],
  vendors: ['clock', 'errors', 'secret'],
  forges: ['clock', 'errors', 'secret'],
  provider: ['clock', 'errors', 'secret', 'api', 'kube', 'host', 'spec-file', 'vendors', 'forges', 'x509'],
  runners: ['clock', 'errors', 'secret', 'api', 'kube', 'forges'],
  'tart-kubelet': ['clock', 'errors', 'secret', 'api', 'kube', 'host', 'x509'],
  console: ['clock', 'errors', 'api', 'kube'],
  'local-cluster': ['x509'],
  world: ['clock'],
  cli: ['clock', 'errors', 'secret', 'api', 'kube', 'host', 'spec-file', 'x509'],
  // Started by developers in a checkout; not shipped.
  dev: ['clock', 'errors', 'api', 'kube', 'host', 'spec-file', 'cli', 'local-cluster', 'world'],
};

/** Folders that may import a third-party client, which is wrapped only once. The world implements the other side of the same protocols. */
const WRAPPED_IN: Readonly<Record<string, readonly string[]>> = {
  zod: ['packages/api/', 'packages/spec-file/'],
  'prom-client': ['packages/kube/observe/'],
  commander: ['packages/cli/'],
  '@clack/prompts': ['packages/cli/'],
  '@kubernetes/client-node': ['benchmarks/'],
  ssh2: ['packages/host/transport/', 'packages/world/'],
  ws: ['packages/tart-kubelet/server/websocket/'],
  pino: ['packages/kube/program/'],
  cockatiel: ['packages/vendors/'],
  '@scaleway/sdk-applesilicon': ['packages/vendors/scaleway/', 'packages/world/'],
  '@scaleway/sdk-client': ['packages/vendors/scaleway/', 'packages/world/'],
  '@scaleway/sdk-iam': ['packages/vendors/scaleway/', 'packages/world/'],
  octokit: ['packages/forges/github/', 'packages/world/'],
  '@octokit/auth-app': ['packages/forges/github/', 'packages/world/'],
};

/** Process-wide state (environment, clock, random numbers, signals) and the files that may read it; all other code gets it injected. */
const OUTSIDE = /\bprocess\.(env|argv|on|once)\b|\bDate\.now\(|\bMath\.random\(|\bnew Date\(\)/;
const MAY_READ_OUTSIDE = [/\/main\.ts$/, /^packages\/clock\/clock\.ts$/, /^packages\/(local-cluster|world)\//];

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Returns one sentence for each violation. Tests may import any package by its name. */
export const importProblems = (files: readonly SourceFile[]): string[] => [
  ...files.flatMap(relativeProblems),
  ...files.filter(isShipped).flatMap(problemsOf),
  ...mutualFolders(files.filter(isShipped)),
];

const isTest = (path: string): boolean => /\.test\.ts$|\/testing\/|\.contract\.ts$/.test(path);
const isShipped = ({ path }: SourceFile): boolean => path.startsWith('packages/') && !isTest(path);

/** `packages/kube`, or `e2e` for a file outside the packages. */
const packageOf = (path: string): string =>
  path
    .split('/')
    .slice(0, path.startsWith('packages/') ? 2 : 1)
    .join('/');

const targetOf = (path: string, relative: string): string => new URL(relative, `file:///${path}`).pathname.slice(1);

const relativeImports = ({ path, text }: SourceFile): string[] =>
  importsOf(text)
    .filter(name => name.startsWith('.'))
    .map(name => targetOf(path, name));

const relativeProblems = (file: SourceFile): string[] =>
  relativeImports(file)
    .filter(target => target.startsWith('packages/') || file.path.startsWith('packages/'))
    .filter(target => packageOf(target) !== packageOf(file.path))
    .map(target => `${file.path} imports ${target}: import other packages by name, internals for tests by …/testing`);

/** Packages whose folders may import each other. The host controller will replace the folders of the provider that do. */
const MAY_BE_MUTUAL = ['packages/provider'];

function mutualFolders(files: readonly SourceFile[]): string[] {
  const folderOf = (path: string): string => path.split('/').slice(0, 3).join('/');
  const edges = new Map<string, string>();
  for (const file of files) {
    for (const target of relativeImports(file)) {
      const isInFolder = [file.path, target].every(path => path.split('/').length > 3);
      if (isInFolder && folderOf(file.path) !== folderOf(target))
        edges.set(`${folderOf(file.path)} ${folderOf(target)}`, file.path);
    }
  }
  return [...edges].flatMap(([edge, path]) => {
    const [from = '', to = ''] = edge.split(' ');
    const back = edges.get(`${to} ${from}`);
    const isViolation = back !== undefined && from < to && !MAY_BE_MUTUAL.includes(packageOf(from));
    return isViolation ? [`${from} and ${to} import each other (${path}, ${back}): move what both need`] : [];
  });
}

function problemsOf({ path, text }: SourceFile): string[] {
  const packageName = path.split('/')[1] ?? '';
  const problems = importsOf(text).flatMap(name => problemOf(path, packageName, name) ?? []);
  const reads = OUTSIDE.exec(text);
  if (reads && !MAY_READ_OUTSIDE.some(allowed => allowed.test(path))) {
    problems.push(`${path} reads process-wide state (${reads[0]}): only main.ts files may; inject it instead`);
  }
  return problems;
}

function problemOf(path: string, packageName: string, name: string): string | undefined {
  const ours = /^@minifleet\/([\w-]+)/.exec(name)?.[1];
  const allowed = MAY_IMPORT[packageName];
  if (!allowed) return `${path} is in an unknown package: add packages/${packageName} to scripts/import-rules.ts`;
  if (ours && !allowed.includes(ours))
    return `${path} imports ${name}: packages/${packageName} may import ${allowed.join(', ') || 'no other package'}`;
  const isTestSupport = ours !== undefined && /\/testing(\/|$)/.test(name);
  if (isTestSupport && packageName !== 'dev')
    return `${path} imports ${name}: only tests and packages/dev may import test support`;
  const homes = Object.entries(WRAPPED_IN).find(([wrapped]) => name === wrapped || name.startsWith(`${wrapped}/`))?.[1];
  const strays = homes !== undefined && !homes.some(home => path.startsWith(home));
  return strays ? `${path} imports ${name}: only ${homes.join(' and ')} may import it` : undefined;
}

const importsOf = (text: string): string[] =>
  [
    ...text.matchAll(/^\s*(?:import|export)\b[^'"`;]*?from\s+'([^']+)'|^\s*import\s+'([^']+)'|\bimport\('([^']+)'\)/gm),
  ].map(match => match[1] ?? match[2] ?? match[3] ?? '');
