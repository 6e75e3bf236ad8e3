/** Benchmark of the provider: fleets of several sizes from creation to Ready and at rest, beside an earlier version. */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import {
  BEFORE_MAC_HOSTS,
  openEarlierVersion,
  type ProviderVersion,
  THIS_VERSION,
} from '../../e2e/testing/earlier-version.ts';
import type { Progress, Report } from '../benchmark.ts';
import { medianFigures } from './measure/median-figures.ts';
import { measureSize, type SizeFigures } from './measure/one-size.ts';
import { SIZES } from './names.ts';
import { numberFrom } from './number-from.ts';
import { providerReport, type SizeResult } from './provider-report.ts';

interface BenchmarkOptions {
  /** Machines per fleet, smallest first. */
  readonly sizes: readonly number[];
  /** Runs per size and version. */
  readonly rounds: number;
  readonly baseline: string;
}

/** `argv` is a list of other sizes, smallest first, and options: `provider --baseline HEAD~1 --rounds 3 20 50`. */
export async function providerBenchmark(progress: Progress, argv: readonly string[]): Promise<Report> {
  const options = readOptions(argv);
  await using baseline = options.baseline === 'none' ? undefined : await openEarlierVersion(options.baseline);
  const versions = baseline ? [baseline, THIS_VERSION] : [THIS_VERSION];
  const [loadBefore = 0] = loadavg();
  const sizes: SizeResult[] = [];
  for (const [index, machines] of options.sizes.entries()) {
    sizes.push(await measureVersions(machines, { versions, index, rounds: options.rounds, progress }));
  }
  return providerReport(sizes, { loadBefore, rounds: options.rounds, baseline: baseline?.commit });
}

interface MeasureVersionsOptions extends Pick<BenchmarkOptions, 'rounds'> {
  readonly versions: readonly ProviderVersion[];
  /** Inspections are measured at the first size only. */
  readonly index: number;
  readonly progress: Progress;
}

/** Runs the versions alternately, each of them first in turn, because a machine may become slower during a long benchmark. */
async function measureVersions(machines: number, options: MeasureVersionsOptions): Promise<SizeResult> {
  const { versions, index, rounds, progress } = options;
  const figures: Record<ProviderVersion['name'], SizeFigures[]> = { new: [], baseline: [] };
  for (let round = 0; round < rounds; round++) {
    const order = (index + round) % 2 === 0 ? versions : versions.toReversed();
    for (const version of order)
      figures[version.name].push(await measureSize(machines, { version, inspections: index === 0, progress }));
  }
  return {
    machines,
    current: medianFigures(figures.new),
    ...(figures.baseline.length > 0 && { baseline: medianFigures(figures.baseline) }),
  };
}

function readOptions(argv: readonly string[]): BenchmarkOptions {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { baseline: { type: 'string', default: BEFORE_MAC_HOSTS }, rounds: { type: 'string', default: '1' } },
  });
  return {
    sizes: positionals.length === 0 ? SIZES : positionals.map(word => numberFrom(word, 'machines')),
    rounds: numberFrom(values.rounds, 'rounds'),
    baseline: values.baseline,
  };
}
