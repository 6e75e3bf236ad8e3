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
  cli: ['clock', 'errors', 'secret', 'api', 'kube', 'host', 'spec-file'],
  // Started by developers in a checkout; not shipped.
  dev: ['clock', 'errors', 'api', 'kube', 'host', 'cli', 'local-cluster', 'world'],
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

/** Returns one sentence for each violation. Tests may import anything. */
export function importProblems(files: readonly SourceFile[]): string[] {
  return files.filter(({ path }) => path.startsWith('packages/') && !isTest(path)).flatMap(problemsOf);
}

const isTest = (path: string): boolean => /\.test\.ts$|\/testing\/|\.contract\.ts$/.test(path);

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
  if (name.startsWith('.') && leavesPackage(path, name))
    return `${path} imports ${name}: import other packages by their name`;
  const homes = Object.entries(WRAPPED_IN).find(([wrapped]) => name === wrapped || name.startsWith(`${wrapped}/`))?.[1];
  const strays = homes !== undefined && !homes.some(home => path.startsWith(home));
  return strays ? `${path} imports ${name}: only ${homes.join(' and ')} may import it` : undefined;
}

function leavesPackage(path: string, relative: string): boolean {
  const target = new URL(relative, `file:///${path}`).pathname.slice(1);
  return target.split('/')[1] !== path.split('/')[1];
}

const importsOf = (text: string): string[] =>
  [
    ...text.matchAll(/^\s*(?:import|export)\b[^'"`;]*?from\s+'([^']+)'|^\s*import\s+'([^']+)'|\bimport\('([^']+)'\)/gm),
  ].map(match => match[1] ?? match[2] ?? match[3] ?? '');
