import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@minifleet/kube';
import { BOOT_MS } from '../names.ts';
import { createPod, deletePod } from './bench-pods.ts';
import type { PodObserver } from './pod-observer.ts';
import { type Spread, spreadOf } from './spread.ts';

export interface TrickleOptions {
  readonly admin: Client;
  readonly observer: PodObserver;
  readonly fleet: string;
  readonly pods: number;
  readonly perSecond: number;
  readonly token: boolean;
  /** Part of the Pods' names. */
  readonly name?: string;
}

export interface TrickleFigures {
  /** Time from the binding to Running on the server, without the boot of the guest. */
  readonly added: Spread;
  /** Time from the deletion of a running Pod to its end. */
  readonly deletion: Spread;
}

/** Creates Pods at a constant rate, and deletes each as soon as it runs. */
export async function trickle(options: TrickleOptions): Promise<TrickleFigures> {
  const { admin, observer, fleet, pods, perSecond, token, name: prefix = 'trickle' } = options;
  const names = Array.from({ length: pods }, (_, index) => `${fleet}-${prefix}-${index}`);
  const deleted = new Map<string, number>();
  const live = async (name: string): Promise<void> => {
    await createPod(admin, { name, fleet, token });
    await observer.reached([name], 'running');
    deleted.set(name, performance.now());
    await deletePod(admin, name);
    await observer.reached([name], 'gone');
    deleted.set(name, performance.now() - (deleted.get(name) ?? 0));
  };
  const lives: Promise<void>[] = [];
  for (const name of names) {
    lives.push(live(name));
    await sleep(1_000 / perSecond);
  }
  await Promise.all(lives);
  return { added: spreadOf(names.map(name => addedOf(observer, name))), deletion: spreadOf([...deleted.values()]) };
}

export function addedOf(observer: PodObserver, name: string): number {
  const { bound = Number.NaN, running = Number.NaN } = observer.moments(name);
  return running - bound - BOOT_MS;
}
