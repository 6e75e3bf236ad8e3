import type { Forge } from '@minifleet/forges';
import { memoryResolver } from '@minifleet/forges/testing';
import { type Client, createClient, createMetrics, createRuntime } from '@minifleet/kube';
import type { MemoryApi } from '@minifleet/kube/testing';
import {
  createProgramRun,
  type EffectHook,
  interceptTransport,
  type ProgramRun,
} from '@minifleet/provider/testing/program';
import { addRunnerPools } from '../../pool/pool-controller.ts';
import { capturing } from '../pool-bench.ts';
import { interceptForge } from './intercept-forge.ts';
import { effectName, type RunnersEffect } from './runners-effect.ts';
import type { RunnersWorld } from './runners-world.ts';

export interface RunnersStartOptions {
  /** Called before every effect. */
  readonly onEffect?: EffectHook<RunnersEffect>;
  /** Adds a defect to the controller, to test that the invariants detect it. */
  readonly tamper?: (clients: RunnersClients) => RunnersClients;
}

/** All clients with which a controller has effects. */
export interface RunnersClients {
  readonly client: Client;
  readonly forge: Forge;
}

export interface StartRunnersDeps {
  readonly world: RunnersWorld;
  /** API server that records what the controller does to Pods. */
  readonly api: MemoryApi;
  /** Log lines and reported ends of all controllers. */
  readonly output: string[];
}

/** Starts a runner controller as a new process over a world, with its own caches, tasks and polls. */
export function startRunners(
  { world, api, output }: StartRunnersDeps,
  options: RunnersStartOptions,
): ProgramRun<RunnersEffect> {
  const run = createProgramRun<RunnersEffect>(world.clock, options.onEffect);
  const { clock } = run;
  const intercepted: RunnersClients = {
    client: createClient(interceptTransport(api, run, effectName)),
    forge: interceptForge(world.forge, run),
  };
  const { client, forge } = options.tamper?.(intercepted) ?? intercepted;
  const identity = Buffer.from(world.random(4)).toString('hex');
  const log = capturing(output);
  const runtime = createRuntime({ name: 'test.dev/runners', identity, client, clock, log, metrics: createMetrics() });
  addRunnerPools(runtime, {
    ...{ client: runtime.client, clock, log, events: runtime.events, settings: {} },
    resolver: memoryResolver(forge),
    random: world.random,
    onEnd: end => void output.push(JSON.stringify(end)),
  });
  // A killed process does not shut down gracefully, so the test does not wait for this promise.
  runtime.run(new AbortController().signal).catch((error: unknown) => {
    throw error;
  });
  return run;
}
