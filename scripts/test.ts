/** `npm test`, `npm run check|contract|e2e|incidents`: runs the named suites and prints the duration of each step. */
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createTerminalReporter, findBinaries, PROGRAM_NAMES } from '@minifleet/local-cluster';

interface Step {
  readonly name: string;
  run(): Promise<boolean>;
}

const command = (name: string, argv: readonly string[], shown: Shown = 'live'): Step => ({
  name,
  run: () => succeeds(argv, shown),
});

// Biome colours its output even into a file.
const colours = process.stdout.isTTY ? [] : ['--colors=off'];

const UNIT_TEST = /(?<!\.(contract|cluster|incident))\.test\.ts$/;
const everyTest = globSync('{packages,scripts,docs,benchmarks,e2e,containers,charts,images}/**/*.test.ts', {
  exclude: path => path.includes('node_modules'),
}).sort();

const filesOf = {
  unit: (file: string): boolean => UNIT_TEST.test(file) && !file.startsWith('e2e/'),
  contract: (file: string): boolean => file.endsWith('.contract.test.ts'),
  // The tests of e2e/pods need the namespaces of scripts/e2e-pods.ts.
  e2e: (file: string): boolean =>
    file.endsWith('.cluster.test.ts') || (/^e2e\/(?!pods\/)/.test(file) && UNIT_TEST.test(file)),
  incidents: (file: string): boolean => file.endsWith('.incident.test.ts'),
};

/** Each run of tests writes its failures here; they are printed again at the very end. */
const failures = mkdtempSync(join(tmpdir(), 'minifleet-failures-'));

/**
 * Test files that take minutes, in this order. They start first: a long file that starts last leaves one core idle. Files
 * in `e2e` and `charts` start whole clusters; tables of kills repeat one scenario up to a hundred times.
 */
const LONGEST = [/^e2e\/break\./, /\/(kill-table|killed-anywhere|[a-z]+-killed)\./, /^(e2e|charts)\//];

/**
 * Processes at once. Test files on real servers wait for other processes more than they use a core. With three, two cores
 * are busy for 80 % of the time. With four they have no idle time, but the run takes as long.
 */
const AT_ONCE = 3;

const runner = (name: string, options: readonly string[]): string[] => [
  'node',
  'scripts/testing/run-files.ts',
  `--failures=${join(failures, name)}`,
  ...options,
];

const longestFirst = (files: readonly string[]): string[] => {
  const rank = (file: string): number => [...LONGEST, /^/].findIndex(pattern => pattern.test(file));
  return files.toSorted((one, other) => rank(one) - rank(other));
};

/** Tests on real servers get a process each, so that none leaks into the next. Suites share one queue of files. */
function tests(names: readonly (keyof typeof filesOf)[], extra: readonly string[]): Step {
  const files = longestFirst(everyTest.filter(file => names.some(name => filesOf[name](file))));
  const argv = [...runner(names.join('-'), [`--at-once=${AT_ONCE}`, '--timeout=300000']), ...extra, ...files];
  return command(`${names.join(', ')} tests (${files.length} files)`, argv);
}

/**
 * Unit tests share processes (a tenth of the time). Three of them keep two cores busy. Files are dealt by size, so that
 * the three end at about the same time.
 */
function unitTests(extra: readonly string[]): Step {
  const sizeOf = (file: string): number => statSync(file).size;
  const files = everyTest.filter(file => filesOf.unit(file)).toSorted((one, other) => sizeOf(other) - sizeOf(one));
  const shardOf = (index: number): number => Math.min(index % 6, 5 - (index % 6));
  const shards = [0, 1, 2].map(shard => files.filter((_, index) => shardOf(index) === shard));
  const argvOf = (shard: readonly string[], index: number): string[] => [
    ...runner(`unit-${index}`, ['--in-process', '--timeout=90000']),
    ...extra,
    ...shard,
  ];
  return {
    name: `unit tests (${files.length} files)`,
    run: async () => (await Promise.all(shards.map(argvOf).map(argv => succeeds(argv, 'at the end')))).every(Boolean),
  };
}

/** Built once and then cached, with visible progress, before the first test that needs them. */
const binaries: Step = {
  name: 'Kubernetes binaries',
  async run() {
    const reporter = createTerminalReporter({ output: process.stdout, now: Date.now });
    // The kubelet is only for `npm run e2e:pods`.
    await findBinaries({ programs: PROGRAM_NAMES.filter(name => name !== 'kubelet'), reporter });
    return true;
  },
};

/**
 * Tests start hundreds of Node processes from the same sources, and API servers of 0.3 GB. Collecting their garbage less
 * often makes them 0.8 GB and saves a sixth of their processor time.
 */
const ENVIRONMENT = { NODE_COMPILE_CACHE: resolve('node_modules/.cache/minifleet-compiled'), GOGC: '400' };

const WAYS = ['--old-way', '--our-way'];

/** Steps of one array run side by side, so that no core waits for the last part of a step. */
type Steps = readonly (Step | readonly Step[])[];

const check = (extra: readonly string[]): Steps => [
  [
    command('types', ['tsc', '-p', '.'], 'at the end'),
    command('format and lint', ['biome', 'ci', '--error-on-warnings', ...colours, '.'], 'at the end'),
    command('type-aware lint', ['oxlint', '--type-aware', '--deny-warnings', '.'], 'at the end'),
    unitTests(extra),
  ],
];

const suites: Record<string, (extra: readonly string[]) => Steps> = {
  all: extra => [...check(extra), binaries, tests(['contract', 'e2e', 'incidents'], extra)],
  check,
  contract: extra => [binaries, tests(['contract'], extra)],
  e2e: extra => [binaries, tests(['e2e'], extra)],
  // Both options print a re-enactment. The tests check what the second one prints.
  incidents: extra => {
    const way = WAYS.find(option => extra.includes(option));
    if (way === undefined) return [binaries, tests(['incidents'], extra)];
    return [
      command(`incidents, done ${way === '--our-way' ? 'our way' : 'the old way'}`, [
        'node',
        'scripts/incidents.ts',
        way,
      ]),
    ];
  },
};

/** The output of commands that run side by side is shown `at the end` of each. */
type Shown = 'live' | 'at the end';

function succeeds(argv: readonly string[], shown: Shown): Promise<boolean> {
  const [program = '', ...args] = argv;
  // Some tools colour their output even into a file.
  const environment = { ...process.env, ...ENVIRONMENT, ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }) };
  const child = spawn(program, args, { stdio: shown === 'live' ? 'inherit' : 'pipe', env: environment });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => output.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code => {
      process.stdout.write(Buffer.concat(output));
      resolve(code === 0);
    });
  });
}

async function runStep(step: Step): Promise<string> {
  console.log(`\n▸ ${step.name}`);
  const started = Date.now();
  const passed = await step.run();
  const line = `${passed ? '✔' : '✘'} ${step.name} ${((Date.now() - started) / 1_000).toFixed(1)} s`;
  console.log(line);
  if (!passed) process.exitCode = 1;
  return line;
}

async function main([name = 'all', ...extra]: readonly string[]): Promise<void> {
  const suite = suites[name];
  if (!suite) throw new Error(`unknown suite "${name}"; available: ${Object.keys(suites).join(', ')}`);
  const lines: string[] = [];
  for (const steps of suite(extra)) lines.push(...(await Promise.all([steps].flat().map(runStep))));
  const failed = readdirSync(failures)
    .sort()
    .map(name => readFileSync(join(failures, name), 'utf8'));
  rmSync(failures, { recursive: true });
  console.log(`${failed.join('')}\n${lines.join('\n')}`);
}

await main(process.argv.slice(2));
