import { minutes } from '@minifleet/clock';
import { FORGE_BUSY, FORGE_REFUSED } from '@minifleet/forges';
import type { RunnersFailureScenario } from './failure-scenario.ts';
import {
  onlyRunner,
  startJob,
  startWithIdlePool,
  startWithRegisteredRunner,
  untilEndCounted,
  untilIdle,
  untilJobsCounted,
  untilJobsDone,
  untilReplaced,
} from './pool-steps.ts';
import type { RunnersFaultBench } from './runners-fault-bench.ts';

const EVERY_CALL = { when: 'before', times: Number.POSITIVE_INFINITY } as const;

/** Waits for the status and reason of a condition: `False RunnersOffline`. */
const untilCondition = (bench: RunnersFaultBench, type: string, expected: string): Promise<boolean> =>
  bench.until(`${type} is ${expected}`, async () => (await bench.condition(type)) === expected);

export const githubFailures: readonly RunnersFailureScenario[] = [
  {
    name: 'a runner is deleted at GitHub while it waits for a job',
    expected: 'the runner gets five minutes to exit, then another runner replaces it',
    async run(bench) {
      if (!(await startWithIdlePool(bench, 1))) return;
      const name = await onlyRunner(bench);
      bench.removeInForge(name);
      await untilCondition(bench, 'Ready', 'False RunnersOffline');
      if (await untilReplaced(bench, name)) await untilEndCounted(bench, 'Removed');
    },
  },
  {
    name: 'a registration is missing when the VM starts, because it was deleted or expired during the image pull',
    expected: 'the runner exits at once and is counted as crashed. Another runner replaces it after the back-off.',
    async run(bench) {
      const name = await startWithRegisteredRunner(bench);
      bench.removeInForge(name);
      if (await untilReplaced(bench, name)) await untilEndCounted(bench, 'Crashed');
    },
  },
  {
    name: 'a token expires between mint and use, and GitHub rejects requests with this token',
    expected:
      'the pool reports the rejection and requests nothing. Jobs continue. The pool resumes unchanged with the next token.',
    async run(bench) {
      if (!(await startWithIdlePool(bench, 2))) return;
      await startJob(bench);
      const error = FORGE_REFUSED({ forge: 'memory', call: 'x', account: 'acme', why: 'Bad credentials', app: '1' });
      bench.forge.failNext({ ...EVERY_CALL, error });
      await untilCondition(bench, 'ForgeReachable', 'False ForgeRefused');
      await untilJobsDone(bench, 1);
      bench.forge.heal();
      if (await untilJobsCounted(bench, 1)) await untilIdle(bench, 2);
    },
  },
  {
    name: 'GitHub rate-limits all requests for 15 minutes while a job ends and the pool is scaled down',
    expected:
      'the controller removes no runner whose state GitHub does not report. It sends one request a minute. After the 15 minutes it completes the scale-down.',
    async run(bench) {
      if (!(await startWithIdlePool(bench, 3))) return;
      await startJob(bench);
      bench.forge.failNext({ ...EVERY_CALL, error: FORGE_BUSY({ forge: 'memory', call: 'x' }) });
      await untilCondition(bench, 'ForgeReachable', 'False ForgeUnavailable');
      await bench.changePool({ replicas: 1 });
      await untilJobsDone(bench, 1);
      const callsBefore = bench.forge.calls.length;
      const since = bench.clock.now();
      await bench.until('15 minutes have passed', async () => bench.clock.now() - since >= minutes(15));
      bench.expect('the controller sent at most one request a minute', bench.forge.calls.length - callsBefore <= 16);
      bench.expect('the controller removed no runner', (await bench.alive()).length === 2);
      bench.forge.heal();
      if (await untilIdle(bench, 1)) await untilJobsCounted(bench, 1);
    },
  },
];
