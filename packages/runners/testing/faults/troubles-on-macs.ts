import { pods, secrets } from '@minifleet/kube';
import {
  another,
  begun,
  counted,
  endedAs,
  jobBegun,
  jobsDone,
  onlyRunner,
  registered,
  runnerWithJob,
  warm,
} from './lives.ts';
import { NAMESPACE } from './runners-world.ts';
import type { Trouble } from './trouble.ts';

const REBOOTED = 137;

export const troublesOnMacs: readonly Trouble[] = [
  {
    name: 'a registration is used up, and its VM dies before a job comes',
    comesTo: 'the end is counted as that of the host, its registration goes, and another takes its place',
    async live(bench) {
      if (!(await begun(bench, 1))) return;
      const name = await onlyRunner(bench);
      bench.forge.disconnect(name);
      await bench.mac.exit(name, REBOOTED, 'NodeRebooted');
      if (await another(bench, name)) await endedAs(bench, 'HostLost');
    },
  },
  {
    name: 'a VM dies in the middle of its job, and the forge believes in the job for ten minutes more',
    comesTo: 'its place is filled at once; its pool names the registration that is left, until the forge lets it go',
    async live(bench) {
      if (!(await begun(bench, 1))) return;
      await jobBegun(bench);
      const { name } = await runnerWithJob(bench);
      await bench.mac.exit(name, REBOOTED, 'NodeRebooted');
      if (!(await another(bench, name))) return;
      await endedAs(bench, 'HostLost');
      await bench.until(
        'the registration is named',
        async () => (await bench.condition('ForgeReachable')) === 'True StaleRegistrations',
      );
      await bench.until('it is gone', async () => bench.forge.all().length === 1);
    },
  },
  {
    name: 'a job is cancelled while the runner that was to take it starts',
    comesTo: 'the runner comes online, waits, and takes the next job',
    async live(bench) {
      const name = await registered(bench);
      bench.jobs.queue(1);
      bench.jobs.cancelQueued();
      if (!(await warm(bench, 1))) return;
      bench.jobs.queue(1);
      if (await jobsDone(bench, 1)) await counted(bench, 1);
      bench.expect('it was the same', bench.jobs.runs[0]?.runner === name);
      await warm(bench, 1);
    },
  },
  {
    name: 'a job is cancelled in the moment it is taken: nobody has seen the runner busy',
    comesTo: 'it is gone from its forge, so the end counts as that of a job, and another takes its place',
    async live(bench) {
      if (!(await begun(bench, 1))) return;
      const name = await onlyRunner(bench);
      bench.forge.takeJob(name);
      bench.forge.finishJob(name);
      await bench.mac.exit(name, 0);
      if (await another(bench, name)) await counted(bench, 1);
    },
  },
  {
    name: 'I10 a Pod is deleted by hand, and nothing is heard of its Mac',
    comesTo: 'its place is filled, and its pool says which Pod is stuck and why, until it is gone',
    async live(bench) {
      if (!(await begun(bench, 1))) return;
      const [pod] = await bench.alive();
      const { name = '' } = pod?.metadata ?? {};
      bench.mac.silent.add(pod?.spec?.nodeName ?? '');
      await bench.api.client.delete(pods, { namespace: NAMESPACE, name });
      await bench.until(
        'the stuck Pod is reported',
        async () => (await bench.condition('PodsTerminating')) === 'True Stuck',
      );
      bench.expect('its place is filled', (await bench.alive()).length === 1);
      bench.mac.silent.clear();
      if (await warm(bench, 1)) await endedAs(bench, 'Vanished');
    },
  },
  {
    name: 'the Secret of a runner is deleted by hand while it has a job, and the pool is made smaller',
    comesTo: 'the forge is asked for it by its name, and it is left alone until its job is done',
    async live(bench) {
      if (!(await begun(bench, 1))) return;
      await jobBegun(bench);
      const { name } = await runnerWithJob(bench);
      await bench.api.client.delete(secrets, { namespace: NAMESPACE, name });
      await bench.changePool({ replicas: 0 });
      await jobsDone(bench, 1);
      await bench.until(
        'all is gone',
        async () => (await bench.alive()).length === 0 && bench.forge.all().length === 0,
      );
    },
  },
];
