import { minutes } from '@minifleet/clock';
import { FORGE_BUSY, FORGE_REFUSED } from '@minifleet/forges';
import { another, begun, counted, endedAs, jobBegun, jobsDone, onlyRunner, registered, warm } from './lives.ts';
import type { RunnersBench } from './runners-bench.ts';
import type { Trouble } from './trouble.ts';

const EVERY_CALL = { when: 'before', times: Number.POSITIVE_INFINITY } as const;

const told = (bench: RunnersBench, type: string, words: string): Promise<boolean> =>
  bench.until(`${type} is ${words}`, async () => (await bench.condition(type)) === words);

export const troublesInForge: readonly Trouble[] = [
  {
    name: 'a runner is deleted in the forge while it waits for a job',
    comesTo: 'it gets five minutes to end by itself, then another takes its place',
    async live(bench) {
      if (!(await begun(bench, 1))) return;
      const name = await onlyRunner(bench);
      bench.removeInForge(name);
      await told(bench, 'Ready', 'False RunnersOffline');
      if (await another(bench, name)) await endedAs(bench, 'Removed');
    },
  },
  {
    name: 'a registration is gone when the VM starts: deleted, or expired while its image was pulled',
    comesTo: 'the runner ends at once, is counted as crashed, and another takes its place after the back-off',
    async live(bench) {
      const name = await registered(bench);
      bench.removeInForge(name);
      if (await another(bench, name)) await endedAs(bench, 'Crashed');
    },
  },
  {
    name: 'a token expires between mint and use, and the forge refuses what it is asked for with it',
    comesTo: 'the pool reports it and asks for nothing; jobs go on, and the next token finds everything as it was',
    async live(bench) {
      if (!(await begun(bench, 2))) return;
      await jobBegun(bench);
      const error = FORGE_REFUSED({ forge: 'memory', call: 'x', account: 'acme', why: 'Bad credentials', app: '1' });
      bench.forge.failNext({ ...EVERY_CALL, error });
      await told(bench, 'ForgeReachable', 'False ForgeRefused');
      await jobsDone(bench, 1);
      bench.forge.heal();
      if (await counted(bench, 1)) await warm(bench, 2);
    },
  },
  {
    name: 'a rate limit for a quarter of an hour, in which a job ends and the pool is made smaller',
    comesTo: 'nobody is taken who cannot be asked for, the forge is asked once a minute, and then all comes to its end',
    async live(bench) {
      if (!(await begun(bench, 3))) return;
      await jobBegun(bench);
      bench.forge.failNext({ ...EVERY_CALL, error: FORGE_BUSY({ forge: 'memory', call: 'x' }) });
      await told(bench, 'ForgeReachable', 'False ForgeUnavailable');
      await bench.changePool({ replicas: 1 });
      await jobsDone(bench, 1);
      const asked = bench.forge.calls.length;
      const since = bench.clock.now();
      await bench.until('it is over', async () => bench.clock.now() - since >= minutes(15));
      bench.expect('it was asked no more than once a minute', bench.forge.calls.length - asked <= 16);
      bench.expect('nobody was taken', (await bench.alive()).length === 2);
      bench.forge.heal();
      if (await warm(bench, 1)) await counted(bench, 1);
    },
  },
];
