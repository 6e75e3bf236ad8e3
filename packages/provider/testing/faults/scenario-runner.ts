import type { Effect } from '../../program/testing/program-run.ts';
import type { EffectFault } from './effect-fault.ts';
import type { EffectFaultOutcome } from './fault-page.ts';
import { injectOnce } from './inject-once.ts';
import type { EffectHookOptions, MonitoredRuns } from './monitored-runs.ts';

/** Sequence of operations during which a test injects a fault into one process. */
export interface Scenario<Bench, Options> {
  readonly name: string;
  /** Prepares the bench with a process that gets no fault. That process is stopped before `run`. */
  readonly setUp: (bench: Bench) => Promise<void>;
  /** Options of the process that gets the fault. */
  readonly options: Options;
  /** Returns when the expected state is reached or has timed out. */
  readonly run: (bench: Bench) => Promise<void>;
  /** Checks the expected result. Effects from here on get no fault. */
  readonly verify?: (bench: Bench) => Promise<unknown>;
}

export interface ScenarioResult<Kind extends string> {
  /** Effects of the process that got the fault. */
  readonly effects: readonly Effect<Kind>[];
  /** True if the fault was injected. */
  readonly injected: boolean;
  readonly violations: readonly string[];
}

export interface ScenarioRunnerDeps<Kind extends string, Options extends EffectHookOptions<Kind>, Bench> {
  readonly open: () => Promise<Bench & MonitoredRuns<Kind, Options>>;
  readonly faultsAt: (effects: readonly Effect<Kind>[]) => EffectFault<Kind>[];
}

/** Runs each scenario on a new bench. */
export interface ScenarioRunner<Kind extends string, Options, Bench> {
  /** Runs a scenario and injects the fault once (default: no fault). */
  readonly run: (scenario: Scenario<Bench, Options>, fault?: EffectFault<Kind>) => Promise<ScenarioResult<Kind>>;
  /** All faults to inject into a scenario. Throws if the scenario fails without a fault. */
  readonly faultsIn: (scenario: Scenario<Bench, Options>) => Promise<EffectFault<Kind>[]>;
  readonly inject: (scenario: Scenario<Bench, Options>, fault: EffectFault<Kind>) => Promise<EffectFaultOutcome<Kind>>;
}

export function scenarioRunner<Kind extends string, Options extends EffectHookOptions<Kind>, Bench>({
  open,
  faultsAt,
}: ScenarioRunnerDeps<Kind, Options, Bench>): ScenarioRunner<Kind, Options, Bench> {
  async function run(scenario: Scenario<Bench, Options>, fault?: EffectFault<Kind>): Promise<ScenarioResult<Kind>> {
    const bench = await open();
    const injection = injectOnce(fault, () => void bench.start(scenario.options));
    await scenario.setUp(bench);
    const { effects } = bench.start({ ...scenario.options, onEffect: injection.onEffect });
    await scenario.run(bench);
    const count = effects.length;
    await scenario.verify?.(bench);
    injection.release();
    await bench.settle();
    bench.stopAll();
    return { effects: effects.slice(0, count), injected: injection.injected, violations: bench.violations };
  }

  return {
    run,
    async faultsIn(scenario) {
      const { effects, violations } = await run(scenario);
      if (violations.length > 0) throw new Error(`${scenario.name}: failed without a fault (${violations.join('; ')})`);
      return faultsAt(effects);
    },
    async inject(scenario, fault) {
      const { injected, violations } = await run(scenario, fault);
      return {
        scenario: scenario.name,
        fault,
        violations: injected ? violations : ['the process did not reach the effect', ...violations],
      };
    },
  };
}
