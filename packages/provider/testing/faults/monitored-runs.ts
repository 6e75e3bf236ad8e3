import type { Duration } from '@minifleet/clock';
import type { FakeClock } from '@minifleet/clock/testing';
import type { EffectHook, ProgramRun } from '../../program/testing/program-run.ts';

export interface EffectHookOptions<Kind extends string> {
  /** Called before every effect. */
  readonly onEffect?: EffectHook<Kind>;
}

export interface MonitoredRunsDeps<Kind extends string, Options extends EffectHookOptions<Kind>> {
  readonly clock: FakeClock;
  readonly start: (options: Options | Omit<Options, 'onEffect'>) => ProgramRun<Kind>;
  /** Runs everything except the processes of the program, then advances the clock. */
  readonly pass: () => Promise<void>;
  readonly violationsNow: () => Promise<readonly string[]>;
  readonly violationsAtRest: () => Promise<readonly string[]>;
  /** Deadline for an expected state. */
  readonly timeout: Duration;
  /** Time after which the system is at rest. It is longer than any back-off or poll interval of the program. */
  readonly settleTime: Duration;
}

/** Processes of a program over one world. Each killed process is replaced, and the invariants are checked after each step. */
export interface MonitoredRuns<Kind extends string, Options extends EffectHookOptions<Kind>> {
  /** Starts one more process. It is replaced when it is killed. */
  start(options?: Options): ProgramRun<Kind>;
  /** Kills a process without a replacement. */
  stop(run: ProgramRun<Kind>): void;
  /** Violated invariants and missed expectations so far. */
  readonly violations: readonly string[];
  /** Advances the time until the condition is true. Returns false and records a violation at the deadline. */
  until(description: string, condition: () => Promise<boolean>, timeout?: Duration): Promise<boolean>;
  /** Records a violation if the condition is false. */
  expect(description: string, condition: boolean): void;
  /** Advances the time until the system is at rest, then also checks the invariants that hold at rest. */
  settle(): Promise<void>;
  /** Kills all processes. */
  stopAll(): void;
}

export function monitoredRuns<Kind extends string, Options extends EffectHookOptions<Kind>>(
  deps: MonitoredRunsDeps<Kind, Options>,
): MonitoredRuns<Kind, Options> {
  const { clock } = deps;
  const violations = new Set<string>();
  let runs: { run: ProgramRun<Kind>; readonly options: Options | Omit<Options, 'onEffect'> }[] = [];
  const record = (found: readonly string[]): void => {
    for (const violation of found) violations.add(violation);
  };

  /** Starts replacements without the hook, so that a fault is injected only into the first process. */
  function replaceKilled(): void {
    runs = runs.map(each => {
      if (!each.run.killed) return each;
      const { onEffect: _, ...options } = each.options as Options;
      return { run: deps.start(options), options };
    });
  }

  async function step(): Promise<void> {
    replaceKilled();
    await deps.pass();
    record(await deps.violationsNow());
  }

  return {
    get violations() {
      return [...violations];
    },
    start(options = {} as Options) {
      const run = deps.start(options);
      runs.push({ run, options });
      return run;
    },
    stop(run) {
      run.kill();
      runs = runs.filter(each => each.run !== run);
    },
    async until(description, condition, timeout = deps.timeout) {
      const end = clock.now() + timeout;
      while (!(await condition())) {
        if (clock.now() >= end) {
          violations.add(`timed out waiting for: ${description}`);
          return false;
        }
        await step();
      }
      return true;
    },
    expect(description, condition) {
      if (!condition) violations.add(`expectation failed: ${description}`);
    },
    async settle() {
      const end = clock.now() + deps.settleTime;
      while (clock.now() < end) await step();
      record(await deps.violationsNow());
      record(await deps.violationsAtRest());
    },
    stopAll() {
      for (const { run } of runs) run.kill();
    },
  };
}
