import type { Forge } from '@minifleet/forges';
import { memoryResolver } from '@minifleet/forges/testing';
import { type Client, createClient, createMetrics, createRuntime } from '@minifleet/kube';
import type { MemoryApi } from '@minifleet/kube/testing';
import { apiTransport, createLife, type Life, type Meet } from '@minifleet/provider/testing/program';
import { addRunnerPools } from '../../pool/pool-controller.ts';
import { capturing } from '../pool-bench.ts';
import { effectName, type RunnersEffect } from './blow.ts';
import { forgeHands } from './forge-hands.ts';
import type { RunnersWorld } from './runners-world.ts';

export interface StartOptions {
  /** Sees every effect before it is had. */
  readonly meet?: Meet<RunnersEffect>;
  /** Makes another program of it, to see whether what is wrong with it is found. */
  readonly tamper?: (hands: Hands) => Hands;
}

/** Everything a program does to the world, it does with these. */
export interface Hands {
  readonly client: Client;
  readonly forge: Forge;
}

export interface Surroundings {
  readonly world: RunnersWorld;
  /** The API server, as a test watches it. */
  readonly api: MemoryApi;
  /** Whatever it logs and tells. */
  readonly words: string[];
}

/** One more program over a world, as a new process: caches, errands and looks of its own. */
export function startRunners({ world, api, words }: Surroundings, options: StartOptions): Life<RunnersEffect> {
  const life = createLife<RunnersEffect>(world.clock, options.meet);
  const { clock } = life;
  const own: Hands = {
    client: createClient(apiTransport(api, life, effectName)),
    forge: forgeHands(world.forge, life),
  };
  const { client, forge } = options.tamper?.(own) ?? own;
  const identity = Buffer.from(world.random(4)).toString('hex');
  const log = capturing(words);
  const runtime = createRuntime({ name: 'test.dev/runners', identity, client, clock, log, metrics: createMetrics() });
  addRunnerPools(runtime, {
    ...{ client, clock, log, events: runtime.events, settings: {} },
    resolver: memoryResolver(forge),
    random: world.random,
    onEnd: end => void words.push(JSON.stringify(end)),
  });
  // A process that dies does not end in good order: nobody waits for this.
  runtime.run(new AbortController().signal).catch((error: unknown) => {
    throw error;
  });
  return life;
}
