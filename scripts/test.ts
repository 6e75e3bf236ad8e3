/** `npm test`, `npm run check|contract|e2e|incidents`: runs the named suites and prints the duration of each step. */
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createTerminalReporter, findBinaries, PROGRAM_NAMES } from '@minifleet/local-cluster';

interface Step {
  readonly name: string;
  run(): Promise<boolean>;
}

const command = (name: string, argv: readonly string[]): Step => ({ name, run: () => succeeds(argv) });

// Biome colours its output even into a file.
const colours = process.stdout.isTTY ? [] : ['--colors=off'];

const UNIT_TEST = /(?<!\.(contract|cluster|incident))\.test\.ts$/;
const everyTest = globSync('{packages,scripts,docs,benchmarks,e2e,containers,charts,images}/**/*.test.ts', {
  exclude: path => path.includes('node_modules'),
}).sort();

const filesOf: Record<string, (file: string) => boolean> = {
  unit: file => UNIT_TEST.test(file) && !file.startsWith('e2e/'),
  contract: file => file.endsWith('.contract.test.ts'),
  e2e: file => file.endsWith('.cluster.test.ts') || (file.startsWith('e2e/') && UNIT_TEST.test(file)),
  incidents: file => file.endsWith('.incident.test.ts'),
};

/** Each run of tests writes its failures here; they are printed again at the very end. */
const failures = mkdtempSync(join(tmpdir(), 'minifleet-failures-'));

/** Test files that take minutes. They start first: a long file that starts last leaves one core idle. */
const LONGEST = ['e2e/break.test.ts'];

/** Processes at once. Test files on real servers wait for other processes more than they use a core. */
const AT_ONCE = { contract: 3, e2e: 3, incidents: 3 } as const;

const runner = (name: string, options: readonly string[]): string[] => [
  'node',
  'scripts/testing/run-files.ts',
  `--failures=${join(failures, name)}`,
  ...options,
];

/** Tests on real servers get a process each, so that none leaks into the next. */
function tests(suite: keyof typeof AT_ONCE, extra: readonly string[]): Step {
  const all = everyTest.filter(file => filesOf[suite]?.(file));
  const files = [...all.filter(file => LONGEST.includes(file)), ...all.filter(file => !LONGEST.includes(file))];
  const argv = [...runner(suite, [`--at-once=${AT_ONCE[suite]}`, '--timeout=300000']), ...extra, ...files];
  return command(`${suite} tests (${files.length} files)`, argv);
}

/** Unit tests share processes (a tenth of the time). Three of them keep two cores busy to the end. */
function unitTests(extra: readonly string[]): Step {
  const files = everyTest.filter(file => filesOf['unit']?.(file));
  const shards = [0, 1, 2].map(shard => files.filter((_, index) => index % 3 === shard));
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
    await findBinaries({ programs: PROGRAM_NAMES, reporter });
    return true;
  },
};

/**
 * Tests start hundreds of Node processes from the same sources, and API servers of 0.3 GB. Collecting their garbage less
 * often makes them 0.8 GB and saves a sixth of their processor time.
 */
const ENVIRONMENT = { NODE_COMPILE_CACHE: resolve('node_modules/.cache/minifleet-compiled'), GOGC: '400' };

const WAYS = ['--old-way', '--our-way'];

const suites: Record<string, (extra: readonly string[]) => readonly Step[]> = {
  check: extra => [
    command('types', ['tsc', '-p', '.']),
    command('format and lint', ['biome', 'ci', '--error-on-warnings', ...colours, '.']),
    command('type-aware lint', ['oxlint', '--type-aware', '--deny-warnings', '.']),
    unitTests(extra),
  ],
  contract: extra => [binaries, tests('contract', extra)],
  e2e: extra => [binaries, tests('e2e', extra)],
  // Both options print a re-enactment. The tests check what the second one prints.
  incidents: extra => {
    const way = WAYS.find(option => extra.includes(option));
    if (way === undefined) return [binaries, tests('incidents', extra)];
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
function succeeds(argv: readonly string[], shown: 'live' | 'at the end' = 'live'): Promise<boolean> {
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
  const chosen = name === 'all' ? Object.keys(suites) : [name];
  const unknown = chosen.find(suite => !(suite in suites));
  if (unknown) throw new Error(`no suite "${unknown}"; there are: all, ${Object.keys(suites).join(', ')}`);
  const lines: string[] = [];
  for (const suite of chosen) {
    for (const step of suites[suite]?.(extra) ?? []) lines.push(await runStep(step));
  }
  const failed = readdirSync(failures)
    .sort()
    .map(name => readFileSync(join(failures, name), 'utf8'));
  rmSync(failures, { recursive: true });
  console.log(`${failed.join('')}\n${lines.join('\n')}`);
}

await main(process.argv.slice(2));
