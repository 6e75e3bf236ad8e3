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
 * How long the server stays away before it is started again, in milliseconds; its own start takes about another second.
 * Different each time, or an interval between two tries could happen to fit every restart.
 */
export const CATCH_UP_LOAD = { objects: 50, away: [0, 700, 1_500, 2_900, 12_000] };

export interface CatchUpFigures {
  /** Milliseconds from the first write the restarted server accepts to the reconcile that saw the last change. */
  readonly milliseconds: number;
  readonly slowest: number;
  /** Changes never seen, over all restarts. */
  readonly lost: number;
}

interface RestartFigures {
  readonly milliseconds: number;
  readonly lost: number;
}

// An informer that has not caught up by then has lost its watch for good.
const GIVE_UP_AFTER = 20_000;

/** Both subjects follow the same real cluster, so that both live through the same restarts. */
export async function measureCatchUp(): Promise<Both<CatchUpFigures>> {
  const cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
  const subjects = await Promise.all(SUBJECTS.map(name => startSubject(name, 'note-values')));
  const kubeconfig = cluster.kubeconfigs.admin.text;
  const writer = connectWriter(kubeconfig);
  try {
    const created = await writer.create(CATCH_UP_LOAD.objects);
    await Promise.all(subjects.map(subject => subject.ask('start', kubeconfig)));
    const look = subjects.map(subject => () => subject.ask('figures'));
    await Promise.all(look.map(figures => awaitValues(figures, created)));
    const rounds: RestartFigures[][] = [];
    for (const away of CATCH_UP_LOAD.away) rounds.push(await restartOnce({ cluster, writer, away }, look));
    return Object.fromEntries(SUBJECTS.map((name, index) => [name, summary(rounds, index)])) as Both<CatchUpFigures>;
  } finally {
    await Promise.all([writer.close(), ...subjects.map(subject => subject.stop())]);
    await cluster.stop();
  }
}

async function restartOnce(
  { cluster, writer, away }: { cluster: LocalCluster; writer: ObjectWriter; away: number },
  look: readonly (() => Promise<ObservedValues>)[],
): Promise<RestartFigures[]> {
  const server = cluster.component('kube-apiserver');
  // As a crash: asked politely it waits for its watches to end, which these never do, and is killed after that anyway.
  await server.kill();
  await pause(away);
  const started = server.start();
  const backAt = await writer.firstWrite();
  const expected = await writer.change(`away-${away}`);
  await started;
  return Promise.all(
    look.map(async figures => {
      const seen = await awaitValues(figures, expected);
      const times = [...expected].flatMap(([name, value]) =>
        seen.get(name)?.value === value ? seen.get(name)?.at : [],
      );
      const known = times.filter(time => time !== undefined);
      return { milliseconds: Math.max(...known) - backAt, lost: expected.size - known.length };
    }),
  );
}

/** What was seen when everything expected was, or when the time for it is over. */
async function awaitValues(figures: () => Promise<ObservedValues>, expected: ExpectedValues): Promise<ObservedValues> {
  const end = sharedClock() + GIVE_UP_AFTER;
  for (;;) {
    const seen = await figures();
    if ([...expected].every(([name, value]) => seen.get(name)?.value === value) || sharedClock() > end) return seen;
    await pause(50);
  }
}

function summary(rounds: readonly (readonly RestartFigures[])[], subject: number): CatchUpFigures {
  const own = rounds.flatMap(round => round[subject] ?? []);
  const times = own.map(round => round.milliseconds);
  const lost = own.reduce((sum, round) => sum + round.lost, 0);
  return { milliseconds: median(times), slowest: Math.max(...times), lost };
}
