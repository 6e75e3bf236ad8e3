import { type ScalewayAppleSiliconMachine, scalewayAppleSiliconMachine } from '@minifleet/api';
import type { Client } from '@minifleet/kube';
import { createInformer, findCondition, isConditionTrue, silentLog } from '@minifleet/kube';
import type { Surroundings } from '../surroundings.ts';
import { createLiveLines, type LiveLine } from '../terminal/live-lines.ts';
import { paintFor } from '../terminal/paint.ts';

export interface FollowOptions {
  readonly around: Surroundings;
  readonly client: Client;
  /** How many are waited for. */
  readonly machines: number;
  /** When `up` began. */
  readonly since: number;
  /** Ends the waiting; what is not Ready by then goes on by itself. */
  readonly signal: AbortSignal;
}

/** A line for each machine on its way, which says what it waits for; resolves when so many are Ready. */
export async function followMachines(options: FollowOptions): Promise<void> {
  const { around, client, machines, since } = options;
  const { clock, output } = around;
  const paint = paintFor(output, around.colours);
  const live = output.isTTY === true ? createLiveLines(output, clock) : undefined;
  const lines = new Map<string, LiveLine>();
  const latest = new Map<string, ScalewayAppleSiliconMachine>();
  const ready = new Set<string>();
  const enough = new AbortController();
  const time = (): string => `${((clock.now() - since) / 1_000).toFixed(1)} s`;

  const show = (samm: ScalewayAppleSiliconMachine): void => {
    const { name } = samm.metadata;
    latest.set(name, samm);
    if (ready.has(name)) return;
    if (!isConditionTrue(samm, 'Ready')) {
      if (live && !lines.has(name))
        lines.set(
          name,
          live.begin(spinner => `${spinner} ${name} (${time()}): ${whereItIs(latest.get(name) ?? samm)}`),
        );
      return;
    }
    ready.add(name);
    const text = `${paint.good('✓')} ${name} (${time()} after the start): a Node, Ready`;
    const line = lines.get(name);
    if (line) line.keep(text);
    else output.write(`${text}\n`);
    if (ready.size >= machines) enough.abort();
  };

  const informer = createInformer({ client, clock, log: silentLog, resource: scalewayAppleSiliconMachine.resource });
  informer.subscribe(({ type, object }) => {
    if (type !== 'deleted') show(object);
  });
  await informer.run(AbortSignal.any([options.signal, enough.signal]));
  live?.end();
}

/** What `kubectl get samm` says under Why, and the step while there is one. */
export function whereItIs(samm: ScalewayAppleSiliconMachine): string {
  const why = findCondition(samm, 'Ready')?.message ?? 'waits for the provider';
  const { currentStep } = samm.status ?? {};
  return currentStep && !why.includes(currentStep) ? `${why} (${currentStep})` : why;
}
