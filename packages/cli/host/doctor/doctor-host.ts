import { formatDuration, milliseconds, seconds } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import {
  HOST_IDENTITY_CHANGED,
  HOST_KEY_REFUSED,
  HOST_SUDO_NEEDED,
  inspectPlan,
  type StepReport,
} from '@minifleet/host';
import type { CliContext } from '../../context.ts';
import { type Diagnosis, healthy, problem, showDiagnoses, unknown } from '../../diagnosis/diagnosis.ts';
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

/** Results for a reachable host: round-trip time and host key. */
const reached = (roundTripMs: number, hostKey: string | undefined, trusted: string): Diagnosis[] => [
  healthy('reachable', `round trip ${formatDuration(milliseconds(roundTripMs))}`),
  healthy('host key', `${hostKey ?? 'none shown'}, ${trusted}`),
];

/** Result for a host that is unreachable or shows another host key. No other check can run. */
function unreached({ code, message }: CataloguedError): Diagnosis {
  if (code === HOST_KEY_REFUSED.code) {
    return problem(
      'reachable',
      message,
      'add the public key on the host; minifleet prepare-fleet-host prints it with instructions',
    );
  }
  if (code === HOST_IDENTITY_CHANGED.code) {
    return problem(
      'host key',
      message,
      'if the host was reinstalled: remove that line and retry with --accept-new-host-key',
    );
  }
  return problem(
    'reachable',
    message,
    'check in the vendor’s console that the host is powered on and has this address',
  );
}

/** Returns one row for each step that differs, one for all current steps, and one for all steps that need sudo to be inspected. */
function diagnoseSteps(reports: readonly StepReport[], { converge }: SuggestedCommands): Diagnosis[] {
  const current = reports.filter(({ state }) => state === 'current');
  const needSudo = reports.filter(({ error }) => error?.code === HOST_SUDO_NEEDED.code);
  const rest = reports.filter(report => !current.includes(report) && !needSudo.includes(report));
  const count = current.length === reports.length ? 'all' : `${current.length} of`;
  return [
    ...rest.map(report => diagnose(report, converge)),
    ...(needSudo.length > 0 ? [unknown('steps', `${needSudo.length} cannot be inspected without sudo`)] : []),
    ...(current.length > 0 ? [healthy('steps', `${count} ${reports.length} are current`)] : []),
  ];
}

function diagnose({ id, state, differences, disturbs }: StepReport, converge: string): Diagnosis {
  const check = `step ${id}`;
  const message = differences.join('; ');
  if (state === 'unknown') return unknown(check, message);
  if (state === 'needs reboot') return problem(check, message, `${converge} --allow running-vms --reboot`);
  const more = disturbs === 'running VMs' ? ' --allow running-vms' : '';
  return problem(check, message, `${converge} --only ${id}${more}`);
}
