import { CataloguedError } from '@minifleet/errors';
import { type ConvergeReport, HOST_KEY_REFUSED, type Secret } from '@minifleet/host';
import { secretLine } from '@minifleet/spec-file';
import type { CliContext } from '../context.ts';
import { type ExitCode, exitCode } from '../exit.ts';
import type { HostConnection } from '../host/connect-host.ts';
import { type ConvergeRequest, runPlan } from '../host/converge/converge-host.ts';
import { type HostRequest, userOf } from '../host/host-request.ts';
import { readIdentity } from '../host/identity.ts';
import { readPassword } from '../host/read-password.ts';
import { basePlan } from '../host/read-plan.ts';
import { withHost } from '../host/with-host.ts';
import { abortError, untilAborted } from '../stop.ts';
import { publicKeyOf } from './public-key.ts';
import { recoveryPath } from './recovery-path.ts';

/** Sudo, auto-login and no sleep, by the very steps a provider runs; for hosts whose password only a person knows. */
export async function prepareFleetHost(request: HostRequest, context: CliContext): Promise<ExitCode> {
  const { output } = context;
  return withHost(request, context, async connection => {
    const refused = await refusal(connection, context);
    if (refused) {
      output.write(recoveryPath(await refusedKey(request, connection, context)));
      throw refused;
    }
    const password = await askPassword(request, context);
    const plan = basePlan(userOf(request), password);
    const { report } = await runPlan({ connection, plan, request: { ...request, ...HOW } }, context);
    output.write(nextLine(report, connection.host.address));
    return report.outcome === 'converged' ? exitCode.done : exitCode.failed;
  });
}

const HOW: Pick<ConvergeRequest, 'allow' | 'reboot'> = { allow: 'new VMs', reboot: false };

/** Asked before the password: nobody types one only to hear that the door is locked. */
async function refusal({ host }: HostConnection, context: CliContext): Promise<CataloguedError | undefined> {
  try {
    await untilAborted(context, host.look(['/usr/bin/true']));
    return undefined;
  } catch (error) {
    if (error instanceof CataloguedError && error.code === HOST_KEY_REFUSED.code) return error;
    throw error;
  }
}

async function refusedKey(request: HostRequest, { host }: HostConnection, { home }: CliContext) {
  const key = await readIdentity(request.identity, home);
  const about = { address: host.address, user: userOf(request), keyFile: key.name };
  try {
    return { ...about, publicKey: publicKeyOf(key.reveal()) };
  } catch {
    return { ...about, publicKey: undefined };
  }
}

/** From the file, at the terminal without an echo, or from what is piped in. */
async function askPassword(request: HostRequest, context: CliContext): Promise<Secret> {
  const { passwordFile } = request;
  if (passwordFile !== undefined || !context.prompts) return readPassword(passwordFile ?? '-', context);
  const typed = await context.prompts.password(`Password of ${userOf(request)} on ${request.address.host}`);
  if (typed === undefined) throw abortError();
  return secretLine('password', Buffer.from(typed));
}

/** What there is to do next, for the one who sits there. */
function nextLine({ outcome, steps }: ConvergeReport, address: string): string {
  if (outcome === 'converged') {
    return `${address} is ready and needs no reboot. The provider takes it from here. To see what else differs:\n  minifleet host plan ${address} -f <spec file>\n`;
  }
  const done = steps.filter(({ changed }) => changed).map(({ id }) => id);
  const left = done.length === 0 ? 'was left as it was' : `keeps what was done (${done.join(', ')})`;
  return `${address} is not ready, and ${left}\n`;
}
