/** `npm test`, `npm run check|contract|e2e|incidents`: runs the named suites, says what it runs and how long it took. */
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** Each run of tests leaves its failures here, to be told once more at the very end. */
const failures = mkdtempSync(join(tmpdir(), 'minifleet-failures-'));

// A test that hangs is a failure with a name, not a run without an end.
const runner = (name: string, isolation: readonly string[]): string[] => [
  'node',
  '--test',
  ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
  ...['--test-reporter=./scripts/testing/failures-only.ts', `--test-reporter-destination=${join(failures, name)}`],
  '--import=./scripts/testing/preload.ts',
  ...isolation,
];

/** They wait for each other's processes more than for a core: one at a time leaves half of a small machine idle. */
const AT_ONCE: Readonly<Record<string, number>> = { contract: 2, e2e: 2, incidents: 2 };

/** Tests on real servers get a process each, so that none leaks into the next. */
function tests(suite: keyof typeof filesOf, extra: readonly string[]): Step {
  const files = everyTest.filter(file => filesOf[suite]?.(file));
  const atOnce = `--test-concurrency=${AT_ONCE[suite] ?? 1}`;
  const argv = [...runner(suite, [atOnce, '--test-timeout=300000']), ...extra, ...files];
  return command(`${suite} tests (${files.length} files)`, argv);
}

/** Unit tests share a process (a tenth of the time): two of them, side by side, with every other file each. */
function unitTests(extra: readonly string[]): Step {
  const files = everyTest.filter(file => filesOf['unit']?.(file));
  const halves = [0, 1].map(half => files.filter((_, index) => index % 2 === half));
  const argvOf = (half: readonly string[], index: number): string[] => [
    ...runner(`unit-${index}`, ['--test-isolation=none', '--test-timeout=90000']),
    ...extra,
    ...half,
  ];
  return {
    name: `unit tests (${files.length} files)`,
    run: async () => (await Promise.all(halves.map(argvOf).map(argv => succeeds(argv, 'at the end')))).every(Boolean),
  };
}

/** Built once and then cached: here, with its progress in sight, and not inside whichever test comes first. */
const binaries: Step = {
  name: 'Kubernetes binaries',
  async run() {
    const reporter = createTerminalReporter({ output: process.stdout, now: Date.now });
    await findBinaries({ programs: PROGRAM_NAMES, reporter });
    return true;
  },
};

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
  // Both ways are re-enactments that print what was seen; the tests hold our way to it.
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

/** What two commands print side by side is shown `at the end` of each. */
function succeeds(argv: readonly string[], shown: 'live' | 'at the end' = 'live'): Promise<boolean> {
  const [program = '', ...args] = argv;
  // Some tools colour their output even into a file: a log is read by people, too.
  const environment = process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: '1' };
  const child = spawn(program, args, { stdio: shown === 'live' ? 'inherit' : 'pipe', env: environment });
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => said.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code => {
      process.stdout.write(Buffer.concat(said));
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
