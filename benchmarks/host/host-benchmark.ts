/** Benchmark of host convergence over SSH, compared with one connection per command. */
import type { Progress, Report } from '../benchmark.ts';
import { startCaller } from './caller/start-caller.ts';
import { hostReport } from './host-report.ts';
import { startMacs } from './macs/start-macs.ts';
import { measureFleet } from './measure/fleet.ts';
import { measureOneHost } from './measure/one-host.ts';
import { FLEET, ONE_HOST } from './names.ts';

export async function hostBenchmark(progress: Progress): Promise<Report> {
  progress(`starting ${ONE_HOST.runs * 2} Macs`);
  const oneHost = await withMacs(ONE_HOST.runs * 2, ONE_HOST.speed, given => measureOneHost(given, progress));
  progress(`starting ${FLEET.hosts} Macs`);
  const fleet = await withMacs(FLEET.hosts, FLEET.speed, given => measureFleet(given, progress));
  return hostReport({ oneHost, fleet });
}

type HostMeasurementDeps = Parameters<typeof measureFleet>[0];

/** Runs a measurement with Macs and a caller in separate processes. */
async function withMacs<T>(
  count: number,
  speed: number,
  measure: (given: HostMeasurementDeps) => Promise<T>,
): Promise<T> {
  const macs = await startMacs(count, speed);
  try {
    const caller = await startCaller();
    try {
      const figures = await measure({ macs, caller });
      const gaps = await macs.gaps();
      if (gaps.length > 0) throw new Error(`the world does not model: ${gaps.slice(0, 5).join('; ')}`);
      return figures;
    } finally {
      await caller.stop();
    }
  } finally {
    await macs.stop();
  }
}
