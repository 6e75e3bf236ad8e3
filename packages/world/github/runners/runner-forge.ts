import type { RunnerForge, RunnerOnline } from '../../mac/builder/builder.ts';
import type { Conclusion, Job } from '../jobs/job.ts';
import type { Github } from '../start-github.ts';
import { RegistrationRefused } from './register-runner.ts';
import { SessionRefused } from './sessions.ts';
import { work } from './work.ts';

export interface RunnerForgeOptions {
  /** Does a job on the Mac that took it; jobs only take their time unless given. */
  readonly carryOut?: (job: Job, where: RunnerOnline, signal: AbortSignal) => Promise<Conclusion>;
}

/** This forge as `config.sh` and `run.sh` of a simulated Mac reach it. */
export function runnerForge(github: Github, { carryOut }: RunnerForgeOptions = {}): RunnerForge {
  const { around, runners, accounts } = github.state;
  const listening = new Map<RunnerOnline, AbortController>();
  return {
    async register(registration) {
      try {
        return { id: github.registerRunner(registration).runner.id };
      } catch (error) {
        if (!(error instanceof RegistrationRefused)) throw error;
        return { status: error.status, message: error.status === 404 ? 'Not Found' : error.message.trim() };
      }
    },
    async unregister(url, id) {
      const scope = accounts.findScope(new URL(url).pathname.replace(/^\/+|\/+$/g, ''));
      const runner = scope && runners.find(scope, id);
      if (runner) runners.remove(runner);
    },
    online(where) {
      const stop = new AbortController();
      const clientId = runners.all.find(runner => runner.id === where.id)?.clientId ?? '';
      try {
        const session = github.connect(clientId, { os: 'macOS' });
        const carry = carryOut && ((job: Job, signal: AbortSignal) => carryOut(job, where, signal));
        listening.set(where, stop);
        void work(session, { clock: around.clock, signal: stop.signal, ...(carry && { carryOut: carry }) });
      } catch (error) {
        if (!(error instanceof SessionRefused)) throw error;
        around.journal.add('github', 'session refused', `${where.name}: ${error.message}`);
      }
    },
    offline(where) {
      listening.get(where)?.abort();
      listening.delete(where);
    },
  };
}
