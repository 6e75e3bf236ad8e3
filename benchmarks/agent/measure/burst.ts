import type { Client } from '@minifleet/kube';
import { sharedClock } from '../../child/shared-clock.ts';
import { createPod } from './bench-pods.ts';
import type { PodObserver } from './pod-observer.ts';
import { type Spread, spreadOf } from './spread.ts';
import { addedOf } from './trickle.ts';

export interface BurstOptions {
  readonly admin: Client;
  readonly observer: PodObserver;
  readonly fleet: string;
  readonly pods: number;
}

/** Seconds since the creation of the first Pod. */
export interface BurstFigures {
  readonly created: number;
  readonly bound: number;
  readonly running: number;
  readonly added: Spread;
}

const CONCURRENCY = 50;

/** Creates all Pods as fast as the server accepts them. */
export async function burst({ admin, observer, fleet, pods }: BurstOptions): Promise<BurstFigures> {
  const names = Array.from({ length: pods }, (_, index) => `${fleet}-burst-${index}`);
  const waiting = [...names];
  const begun = sharedClock();
  const createSome = async (): Promise<void> => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop())
      await createPod(admin, { name, fleet, token: false });
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, createSome));
  const created = (sharedClock() - begun) / 1_000;
  await observer.reached(names, 'running');
  const last = (moment: 'bound' | 'running'): number =>
    (Math.max(...names.map(name => observer.moments(name)[moment] ?? Number.NaN)) - begun) / 1_000;
  const added = spreadOf(names.map(name => addedOf(observer, name)));
  return { created, bound: last('bound'), running: last('running'), added };
}
