import type { CliContext } from '@minifleet/cli';
import { Command, exitCode, type Finish, UsageError } from '@minifleet/cli';
import { paintFor } from '@minifleet/cli/terminal';
import { NOT_UP } from '../up/errors.ts';
import { findRunning } from '../up/running/find-running.ts';
import { giveOrder } from '../up/running/give-order.ts';

import { describeLine } from './describe-line.ts';
import type { StrikeLine, StrikeRequest } from './strike.ts';

export const breakCommand = (around: CliContext, finish: Finish): Command =>
  new Command('break')
    .description('do an incident to a Mac of the running `up`; without one, list those there are')
    .argument('[incident]', 'its id, for example I19')
    .argument('[host]', 'the name of a host as `minifleet get hosts` shows it; one that fits unless said')
    .option('--wait', 'wait until it is healed or named, say so, and tidy up')
    .addHelpText(
      'after',
      `
minifleet watch shows what becomes of it; docs/incidents tells what each is about.
What is only named, and repaired by people, stays as it is until minifleet mend.
With --wait it ends with 0 when it was healed or named in time, and with 1 when not.`,
    )
    .action(async (incident: string | undefined, host: string | undefined, options: { wait?: boolean }) => {
      if (incident === undefined) {
        const { listBreakages } = await import('./list-breakages.ts');
        around.output.write(listBreakages(around.output));
        return;
      }
      const { whyNotOfAHost } = await import('./not-of-a-host.ts');
      const why = whyNotOfAHost(incident);
      if (why !== undefined) throw new UsageError(why);
      const seen = await strike({ incident, host, wait: options.wait ?? false }, around);
      if (!seen) finish(exitCode.failed);
    });

export const mendCommand = (around: CliContext): Command =>
  new Command('mend')
    .description('put right what `break` did and no program repairs, on one host or on all')
    .argument('[host]', 'its name; all of them unless said')
    .action(async (host: string | undefined) => {
      const last = await tellOrder('mend', { host }, around);
      if (!last) around.output.write('Nothing is left to put right.\n');
    });

/** False when it was waited for and not seen. */
async function strike(request: StrikeRequest, around: CliContext): Promise<boolean> {
  const last = await tellOrder('break', request, around);
  return !request.wait || (last !== undefined && 'seen' in last);
}

/** Shows what comes of an order, and returns the last line of it. */
async function tellOrder(order: string, request: object, around: CliContext): Promise<StrikeLine | undefined> {
  const { output, signal } = around;
  const running = await findRunning(around);
  const lines = running && (await giveOrder<StrikeLine>({ running, order, with: request, signal }));
  if (!lines) throw NOT_UP({});
  const paint = paintFor(output, around.colours);
  let last: StrikeLine | undefined;
  for await (const line of lines) {
    if ('failed' in line) throw new Error(line.failed);
    output.write(describeLine(line, paint));
    last = line;
  }
  return last;
}
