import { m1 } from '@minifleet/world/mac';
import type { Stage } from '../stage.ts';

export const RUNNER_HOME = '/opt/actions-runner';

/** The runner's job, as launchd knows it. */
export const runnerJob = ({ name, world }: Stage): string =>
  `gui/${m1.uid}/actions.runner.${world.githubApp.organization}.${name}`;

/** Whether GitHub could give it a job. */
export const isOnline = ({ name, world }: Stage): boolean =>
  world.github.state.runners.all.some(runner => runner.name === name && runner.online);

/** Whether launchd has the runner in the session at the screen, and it runs. */
export async function runnerListens(stage: Stage): Promise<boolean> {
  const { out } = await stage.run(`launchctl print ${runnerJob(stage)}`);
  return out.includes('state = running');
}
