import { seconds } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { inspectPlan } from '@minifleet/host';
import type { CliContext } from '../../context.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import { showDiagnoses } from '../../diagnosis/diagnosis.ts';
import { type ExitCode, exitCode } from '../../exit.ts';
import { untilAborted } from '../../stop.ts';
import { hostPort } from '../address.ts';
import { type HostConnection, knownHostsFile } from '../connect-host.ts';
import { readFacts } from '../facts/read-facts.ts';
import { type HostRequest, userOf } from '../host-request.ts';
import { openKnownHosts } from '../known-hosts.ts';
import { basePlan, onlySteps, readPlan } from '../read-plan.ts';
import { withHost } from '../with-host.ts';
import { diagnoseFacts, type SuggestedCommands } from './diagnose-facts.ts';
import { reached, unreached } from './diagnose-reach.ts';
import { diagnoseSteps } from './diagnose-steps.ts';

/** Checks a host for common problems and prints a fix for each. */
export async function doctorHost(request: HostRequest, context: CliContext): Promise<ExitCode> {
  const plan = request.file === undefined ? basePlan(userOf(request)) : await readPlan(request, context);
  const chosen = onlySteps(plan, request.only);
  const commands = commandsFor(request);
  const examine = async (connection: HostConnection): Promise<Diagnosis[]> => {
    const { host, transport } = connection;
    await host.query(['/usr/bin/true'], { timeout: seconds(20) }); // dials
    const began = context.clock.now();
    await host.query(['/usr/bin/true']);
    const roundTrip = context.clock.now() - began;
    const trusted = await whyTrusted(request, context);
    const [facts, reports] = await Promise.all([readFacts(host, userOf(request)), inspectPlan(host, chosen)]);
    return [
      ...reached(roundTrip, transport.hostKey, trusted),
      ...diagnoseFacts(facts, commands),
      ...diagnoseSteps(reports, commands),
    ];
  };
  try {
    const found = await withHost(request, context, connection => untilAborted(context, examine(connection)));
    showDiagnoses(found, request.json, context);
    return found.some(({ state }) => state === 'problem') ? exitCode.differs : exitCode.done;
  } catch (error) {
    if (!(error instanceof CataloguedError)) throw error;
    showDiagnoses([unreached(error)], request.json, context);
    return exitCode.failed;
  }
}

async function whyTrusted(request: HostRequest, context: CliContext): Promise<string> {
  if (request.hostKey !== undefined) return 'from --host-key';
  const file = knownHostsFile(context);
  const pin = await openKnownHosts(file).find(hostPort(request.address));
  return pin === undefined ? `new, saved in ${file}` : `pinned in ${file}, line ${pin.line}`;
}

/** Returns commands to copy, with the options of this request. */
function commandsFor(request: HostRequest): SuggestedCommands {
  const user = userOf(request);
  const identity = request.identity === undefined ? '' : ` -i ${request.identity}`;
  const place = `${user}@${hostPort(request.address)}${identity}`;
  const file = request.file ?? '<spec file>';
  return {
    user,
    prepare: `minifleet prepare-fleet-host ${place}`,
    converge: `minifleet host converge ${place} -f ${file}`,
  };
}
