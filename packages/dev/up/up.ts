import type { CliContext } from '@minifleet/cli';
import { createTerminalReporter, type Reporter } from '@minifleet/local-cluster';
import { findAgent } from './find-agent.ts';
import { openGivenHome } from './home/given-home.ts';
import type { Home } from './home/home.ts';
import { openLocalHome } from './home/local-home.ts';
import { live } from './live.ts';
import { refuseSecond } from './running/claim-running.ts';
import { SPARE, type UpOptions } from './up-options.ts';
import { withProgress } from './with-progress.ts';

/** Has a cluster with a world beside it and our programs between them, makes fleets, says what to try, and stays until the user stops it. */
export async function up(options: UpOptions, around: CliContext): Promise<void> {
  const { clock, output } = around;
  await refuseSecond(around);
  const reporter = createTerminalReporter({ output, now: () => clock.now() });
  const started = clock.now();
  // Beside the start of a cluster of our own, which takes longer unless the agent must be built; a cluster that is given may be refused.
  const agent = options.kubeconfig ? undefined : findAgent(reporter);
  const home = await openHome(options, around, reporter);
  try {
    await live({ options, around, reporter, home, executable: await (agent ?? findAgent(reporter)), started });
  } finally {
    await withProgress(reporter.step('stopping'), () => home.close());
  }
}

const openHome = (options: UpOptions, around: CliContext, reporter: Reporter): Promise<Home> =>
  options.kubeconfig ? openGivenHome(options.kubeconfig, around) : openLocalHome(options.hosts + SPARE, reporter);
