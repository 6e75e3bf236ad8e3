/** Benchmark of 500 simulated Macs: memory, start time, and SSH compared with the OpenSSH server. */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { startOpenSshServer } from '@minifleet/host/testing';
import type { Progress, Report } from '../benchmark.ts';
import { median } from '../report/percentile.ts';
import { formatNumber } from '../report/table.ts';
import { connectAndRunRate, type SshTarget, uploadRate } from './drive.ts';

const MACS = 500;
const UPLOAD = 60;
const RUNS = 3;
const RATE = { atOnce: 8, seconds: 8 };

interface WorldMacs {
  readonly directory: string;
  readonly keyFile: string;
  readonly ports: readonly number[];
  readonly before: { readonly heap: number; readonly rss: number };
  readonly after: { readonly heap: number; readonly rss: number };
  readonly seconds: number;
}

interface SshFigures {
  readonly rate: number;
  readonly upload: number;
}

export async function worldBenchmark(progress: Progress): Promise<Report> {
  progress(`starting ${MACS} Macs`);
  const child = fork(fileURLToPath(new URL('macs.ts', import.meta.url)), [String(MACS)], { execArgv: ['--expose-gc'] });
  try {
    const macs = await firstMessage(child);
    const targets = macs.ports.map(port => ({ port, user: 'm1', keyFile: macs.keyFile }));
    progress('the world’s SSH');
    const world = await measure(targets);
    progress('OpenSSH’s server');
    const publicKey = readFileSync(`${macs.keyFile}.pub`, 'utf8').trim();
    const sshd = await startOpenSshServer(publicKey).catch((error: Error) => error);
    if (sshd instanceof Error) return report(macs, world, sshd.message);
    const baseline = await measure([{ port: sshd.port, user: sshd.user, keyFile: macs.keyFile }]);
    await sshd.close();
    return report(macs, world, { name: sshd.version, ...baseline });
  } finally {
    child.kill();
  }
}

const firstMessage = (child: ChildProcess): Promise<WorldMacs> =>
  new Promise((resolve, reject) => {
    child.once('message', message => resolve(message as WorldMacs));
    child.once('exit', code => reject(new Error(`the Macs ended with ${String(code)}`)));
  });

async function measure(targets: readonly SshTarget[]): Promise<SshFigures> {
  const [first] = targets;
  if (!first) throw new Error('there is nothing to measure');
  await connectAndRunRate(targets, { ...RATE, seconds: 1 }); // warm-up
  const rate = await connectAndRunRate(targets, RATE);
  const uploads: number[] = [];
  for (let run = 0; run < RUNS; run++) uploads.push(await uploadRate(first, UPLOAD));
  return { rate, upload: median(uploads) };
}

function report(
  macs: WorldMacs,
  world: SshFigures,
  baseline: string | (SshFigures & { readonly name: string }),
): Report {
  rmSync(macs.directory, { recursive: true, force: true });
  const each = (of: 'heap' | 'rss'): number => (macs.after[of] - macs.before[of]) / MACS / 1e6;
  const other = typeof baseline === 'string' ? undefined : baseline;
  const name = typeof baseline === 'string' ? baseline : baseline.name;
  const cores = availableParallelism();
  const number = (value: number | undefined): string => (value === undefined ? '–' : formatNumber(value));
  return {
    header: [
      `world: ${MACS} Macs in one process, the client in another; baseline ${name}`,
      `Node ${process.version}, ${cores} cores; ${RATE.atOnce} clients for ${RATE.seconds} s after a warm-up; uploads: median of ${RUNS}`,
    ],
    columns: ['measure', 'world', 'OpenSSH server', 'aim'],
    rows: [
      ['idle memory per Mac (heap), MB', number(each('heap')), '', '≤ 2'],
      ['idle memory per Mac (RSS), MB', number(each('rss')), '', '≤ 2'],
      [`start of ${MACS} Macs, s`, number(macs.seconds), '', ''],
      ['SSH connect + exec per second', number(world.rate), number(other?.rate), '≥ 150'],
      [`${UPLOAD} MB upload, MB/s`, number(world.upload), number(other?.upload), ''],
    ],
    figures: {
      environment: { node: process.version, cores, baseline: name },
      macs: MACS,
      heapPerMac: each('heap'),
      rssPerMac: each('rss'),
      startSeconds: macs.seconds,
      world,
      openSsh: other ?? null,
    },
  };
}
