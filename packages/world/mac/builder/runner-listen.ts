import { pause, seconds } from '@minifleet/clock';
import type { Program } from '../program.ts';
import { builderOf } from './builder.ts';
import { RUNNER_VERSION } from './runner-archive.ts';
import { readRunner, refusesRoot } from './runner-state.ts';

/** run.sh and runsvc.sh: online at the forge until it is ended. */
export const listen: Program = async run => {
  if (refusesRoot(run)) return 1;
  const state = readRunner(run);
  if (!state) {
    run.err('Not configured. Run config.(sh/cmd) to configure the runner.\n');
    return 1;
  }
  const { mac, directory, user, session } = run;
  const { forge } = builderOf(mac);
  await pause(mac.around.clock, seconds(1), run.signal);
  if (run.signal.aborted) return 0;
  const runner = { mac, id: state.agentId, name: state.agentName, url: state.gitHubUrl, directory, user, session };
  const now = new Date(mac.around.clock.now()).toISOString().replace('T', ' ').slice(0, 19);
  run.out(`\n√ Connected to GitHub\n\nCurrent runner version: '${RUNNER_VERSION}'\n${now}Z: Listening for Jobs\n`);
  forge?.online(runner);
  await new Promise<void>(resolve => run.signal.addEventListener('abort', () => resolve(), { once: true }));
  forge?.offline(runner);
  return 0;
};
