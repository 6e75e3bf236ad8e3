import { pods, secrets } from '@minifleet/kube';
import type { RunnersFailureScenario } from './failure-scenario.ts';
import {
  onlyRunner,
  runnerWithJob,
  startJob,
  startWithIdlePool,
  startWithRegisteredRunner,
  untilEndCounted,
  untilIdle,
  untilJobsCounted,
  untilJobsDone,
  untilReplaced,
} from './pool-steps.ts';
import { NAMESPACE } from './runners-world.ts';

/** Exit code that the agent reports after a reboot of the Mac. */
const REBOOTED = 137;

export const runnerFailures: readonly RunnersFailureScenario[] = [
  {
    name: 'a registration is used, and its VM exits before a job arrives',
    expected:
      'the end is counted as HostLost. The controller removes the registration, and another runner replaces the lost one.',
    async run(bench) {
      if (!(await startWithIdlePool(bench, 1))) return;
      const name = await onlyRunner(bench);
      bench.forge.disconnect(name);
      await bench.mac.exit(name, REBOOTED, 'NodeRebooted');
      if (await untilReplaced(bench, name)) await untilEndCounted(bench, 'HostLost');
    },
  },
  {
    name: 'a VM exits during its job, and GitHub reports the job as running for ten more minutes',
    expected:
      'another runner replaces it at once. The pool reports the leftover registration until GitHub releases it.',
    async run(bench) {
      if (!(await startWithIdlePool(bench, 1))) return;
      await startJob(bench);
      const { name } = await runnerWithJob(bench);
      await bench.mac.exit(name, REBOOTED, 'NodeRebooted');
      if (!(await untilReplaced(bench, name))) return;
      await untilEndCounted(bench, 'HostLost');
      await bench.until(
        'the pool reports the leftover registration',
        async () => (await bench.condition('ForgeReachable')) === 'True StaleRegistrations',
      );
      await bench.until('GitHub released the registration', async () => bench.forge.all().length === 1);
    },
  },
  {
    name: 'a job is cancelled while the runner for it starts',
    expected: 'the runner comes online, waits, and takes the next job',
    async run(bench) {
      const name = await startWithRegisteredRunner(bench);
      bench.jobs.queue(1);
      bench.jobs.cancelQueued();
      if (!(await untilIdle(bench, 1))) return;
      bench.jobs.queue(1);
      if (await untilJobsDone(bench, 1)) await untilJobsCounted(bench, 1);
      bench.expect('the same runner took the next job', bench.jobs.assignments[0]?.runner === name);
      await untilIdle(bench, 1);
    },
  },
  {
    name: 'a job is cancelled as soon as a runner takes it, so the controller never observes the runner as busy',
    expected: 'GitHub no longer lists the runner, so its end is counted as JobDone. Another runner replaces it.',
    async run(bench) {
      if (!(await startWithIdlePool(bench, 1))) return;
      const name = await onlyRunner(bench);
      bench.forge.takeJob(name);
      bench.forge.finishJob(name);
      await bench.mac.exit(name, 0);
      if (await untilReplaced(bench, name)) await untilJobsCounted(bench, 1);
    },
  },
  {
    name: 'I10 a Pod is deleted manually, and its Mac no longer reports',
    expected: 'another runner replaces it. The pool reports the stuck Pod and the reason until the Pod is gone.',
    async run(bench) {
      if (!(await startWithIdlePool(bench, 1))) return;
      const [pod] = await bench.alive();
      const { name = '' } = pod?.metadata ?? {};
      bench.mac.silent.add(pod?.spec?.nodeName ?? '');
      await bench.api.client.delete(pods, { namespace: NAMESPACE, name });
      await bench.until(
        'the pool reports the stuck Pod',
        async () => (await bench.condition('PodsTerminating')) === 'True Stuck',
      );
      bench.expect('another runner replaced the stuck Pod', (await bench.alive()).length === 1);
      bench.mac.silent.clear();
      if (await untilIdle(bench, 1)) await untilEndCounted(bench, 'Vanished');
    },
  },
  {
    name: 'the Secret of a runner is deleted manually during its job, and the pool is scaled down',
    expected: 'the controller queries GitHub by runner name and keeps the runner until its job is done',
    async run(bench) {
      if (!(await startWithIdlePool(bench, 1))) return;
      await startJob(bench);
      const { name } = await runnerWithJob(bench);
      await bench.api.client.delete(secrets, { namespace: NAMESPACE, name });
      await bench.changePool({ replicas: 0 });
      await untilJobsDone(bench, 1);
      await bench.until(
        'no runner and no registration is left',
        async () => (await bench.alive()).length === 0 && bench.forge.all().length === 0,
      );
    },
  },
];
