/**
 * `npm run e2e:pods`: installs the chart on a cluster whose Linux Node runs the programs as Pods. It prepares what needs
 * the network or root of this machine, and runs the tests in namespaces of their own, where nothing is left behind.
 */
import {
  createTemporaryDirectory,
  createTerminalReporter,
  findBinaries,
  runInPrivateNamespaces,
} from '@minifleet/local-cluster';
import { ALL_ADDRESSES } from '../e2e/pods/addresses.ts';
import { buildImages } from '../e2e/pods/build-images.ts';
import { installPackages } from '../e2e/pods/debian-packages.ts';
import { POD_BENCH_PROGRAMS } from '../e2e/pods/programs.ts';
import { builtAgent } from '../e2e/testing/built-agent.ts';

/** Side by side, each in new namespaces: they mostly wait. */
const TESTS = ['e2e/pods/your-own-cluster.test.ts', 'e2e/pods/scaleway-macs.test.ts'];

async function main(argv: readonly string[]): Promise<number> {
  const chosen = argv.length === 0 ? TESTS : argv;
  const reporter = createTerminalReporter({ output: process.stdout, now: Date.now });
  await installPackages(reporter);
  await findBinaries({ programs: POD_BENCH_PROGRAMS, reporter });
  await builtAgent();
  const images = await createTemporaryDirectory('minifleet-images-');
  try {
    await buildImages(images.path, reporter);
    const inTurn = printInTurn(chosen.length);
    const codes = chosen.map((file, index) =>
      runTest(file, images.path, line => inTurn.print(index, line)).finally(() => inTurn.end(index)),
    );
    return Math.max(...(await Promise.all(codes)));
  } finally {
    await images.remove();
  }
}

/** Prints the lines of the first test live, and those of each further test when the tests before it have ended. */
function printInTurn(count: number) {
  const tests = Array.from({ length: count }, () => ({ held: [] as string[], ended: false }));
  let turn = 0;
  return {
    print(index: number, line: string): void {
      if (index === turn) console.log(line);
      else tests[index]?.held.push(line);
    },
    end(index: number): void {
      Object.assign(tests[index] ?? {}, { ended: true });
      while (tests[turn]?.ended) {
        turn += 1;
        for (const line of tests[turn]?.held ?? []) console.log(line);
      }
    },
  };
}

const runTest = (file: string, images: string, eachLine: (line: string) => void): Promise<number> =>
  runInPrivateNamespaces({
    argv: [process.execPath, 'scripts/testing/run-files.ts', '--timeout=600000', file],
    addresses: ALL_ADDRESSES,
    environment: { MINIFLEET_TEST_IMAGES: images },
    eachLine,
  });

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
