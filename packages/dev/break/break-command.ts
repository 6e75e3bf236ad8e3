import type { CliContext } from '@minifleet/cli';
import { Command, exitCode, type Finish, UsageError } from '@minifleet/cli';
import { paintFor } from '@minifleet/cli/terminal';
import { NOT_UP } from '../errors.ts';
import { sendControlRequest } from '../running/control-socket.ts';
import { findRunningUp } from '../running/up-state.ts';
import type { BreakRequest } from './fault-injector.ts';
import { describeReport, type FaultReport } from './fault-report.ts';

export const breakCommand = (context: CliContext, finish: Finish): Command =>
  new Command('break')
    .description('Reproduce an incident on a Mac of the running `up`; without arguments, list all incidents')
    .argument('[incident]', 'incident ID, for example I19')
    .argument('[host]', 'host name from `minifleet get hosts` (default: the first host that fits)')
    .option('--wait', 'wait until the fault is repaired or reported, then clean up')
    .addHelpText(
      'after',
      `
minifleet watch shows detection and repair. docs/incidents describes every incident.
A fault that Minifleet only reports stays until minifleet mend.
With --wait the exit code is 0 when the fault was repaired or reported in time, otherwise 1.`,
    )
    .action(async (incident: string | undefined, host: string | undefined, options: { wait?: boolean }) => {
      const { listIncidents, whyNotOnHosts } = await import('./list-incidents.ts');
      if (incident === undefined) {
        context.output.write(listIncidents(context.output));
        return;
      }
      const why = whyNotOnHosts(incident);
      if (why !== undefined) throw new UsageError(`${incident.toUpperCase()}: ${why}`);
      const observed = await injectFault({ incident, host, wait: options.wait ?? false }, context);
      if (!observed) finish(exitCode.failed);
    });

export const mendCommand = (context: CliContext): Command =>
  new Command('mend')
    .description('Revert faults of `break` that no program repairs, on one host or on all')
    .argument('[host]', 'host name (default: all hosts)')
    .action(async (host: string | undefined) => {
      const last = await sendAndPrint('mend', { host }, context);
      if (!last) context.output.write('No fault to revert.\n');
    });

/** Returns false when the outcome was awaited and not observed. */
async function injectFault(request: BreakRequest, context: CliContext): Promise<boolean> {
  const last = await sendAndPrint('break', request, context);
  return !request.wait || (last !== undefined && 'outcome' in last);
}

/** Sends a request to the running `up`, prints its report, and returns the last line. */
async function sendAndPrint(name: string, body: object, context: CliContext): Promise<FaultReport | undefined> {
  const { output, signal } = context;
  const running = await findRunningUp(context);
  const lines = running && (await sendControlRequest<FaultReport>(running.control, name, { body, signal }));
  if (!lines) throw NOT_UP({});
  const paint = paintFor(output, context.colours);
  let last: FaultReport | undefined;
  for await (const line of lines) {
    if ('failed' in line) throw new Error(line.failed);
    output.write(describeReport(line, paint));
    last = line;
  }
  return last;
}
