import { setTimeout as pause } from 'node:timers/promises';
import type { LocalCluster } from '@minifleet/local-cluster';
import { startLocalCluster } from '@minifleet/local-cluster';
import { sharedClock } from '../../child/shared-clock.ts';
import { median } from '../../report/percentile.ts';
import { type Both, SUBJECTS } from '../names.ts';
import { startSubject } from '../subject/start-subject.ts';
import type { ObservedValues } from '../subject/task/record-values.ts';
import { connectWriter, type ExpectedValues, type ObjectWriter } from './writer.ts';

/**
 * Downtimes of the server in milliseconds; its start takes about another second. They differ, because a retry interval
 * could otherwise fit every restart by chance.
 */
export const CATCH_UP_LOAD = { objects: 50, away: [0, 700, 1_500, 2_900, 12_000] };

export interface CatchUpFigures {
  /** Milliseconds from the first write that the restarted server accepts to the reconcile of the last change. */
  readonly milliseconds: number;
  readonly slowest: number;
  /** Changes without a reconcile, over all restarts. */
  readonly lost: number;
}

interface RestartFigures {
  readonly milliseconds: number;
  readonly lost: number;
}

// An informer that has not caught up by then has lost its watch.
const GIVE_UP_AFTER = 20_000;

/** Both subjects watch the same real cluster, and so have the same restarts. */
export async function measureCatchUp(): Promise<Both<CatchUpFigures>> {
  const cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
  const subjects = await Promise.all(SUBJECTS.map(name => startSubject(name, 'note-values')));
  const kubeconfig = cluster.kubeconfigs.admin.text;
  const writer = connectWriter(kubeconfig);
  try {
    const created = await writer.create(CATCH_UP_LOAD.objects);
    await Promise.all(subjects.map(subject => subject.ask('start', kubeconfig)));
    const readers = subjects.map(subject => () => subject.ask('figures'));
    await Promise.all(readers.map(figures => awaitValues(figures, created)));
    const rounds: RestartFigures[][] = [];
    for (const away of CATCH_UP_LOAD.away) rounds.push(await restartOnce({ cluster, writer, away }, readers));
    return Object.fromEntries(SUBJECTS.map((name, index) => [name, summary(rounds, index)])) as Both<CatchUpFigures>;
  } finally {
    await Promise.all([writer.close(), ...subjects.map(subject => subject.stop())]);
    await cluster.stop();
  }
}

async function restartOnce(
  { cluster, writer, away }: { cluster: LocalCluster; writer: ObjectWriter; away: number },
  readers: readonly (() => Promise<ObservedValues>)[],
): Promise<RestartFigures[]> {
  const server = cluster.component('kube-apiserver');
  // SIGKILL, because a graceful shutdown waits for the watches, which never end.
  await server.kill();
  await pause(away);
  const started = server.start();
  const backAt = await writer.firstWrite();
  const expected = await writer.change(`away-${away}`);
  await started;
  return Promise.all(
    readers.map(async figures => {
      const observed = await awaitValues(figures, expected);
      const times = [...expected].flatMap(([name, value]) =>
        observed.get(name)?.value === value ? observed.get(name)?.at : [],
      );
      const known = times.filter(time => time !== undefined);
      return { milliseconds: Math.max(...known) - backAt, lost: expected.size - known.length };
    }),
  );
}

/** Returns the observed values when all expected ones are observed, or after a timeout. */
async function awaitValues(figures: () => Promise<ObservedValues>, expected: ExpectedValues): Promise<ObservedValues> {
  const end = sharedClock() + GIVE_UP_AFTER;
  for (;;) {
    const observed = await figures();
    if ([...expected].every(([name, value]) => observed.get(name)?.value === value) || sharedClock() > end)
      return observed;
    await pause(50);
  }
}

function summary(rounds: readonly (readonly RestartFigures[])[], subject: number): CatchUpFigures {
  const own = rounds.flatMap(round => round[subject] ?? []);
  const times = own.map(round => round.milliseconds);
  const lost = own.reduce((sum, round) => sum + round.lost, 0);
  return { milliseconds: median(times), slowest: Math.max(...times), lost };
}
