import { CataloguedError } from '@minifleet/errors';
import { type ConvergeReport, HOST_KEY_REFUSED, type Secret } from '@minifleet/host';
import { secretLine } from '@minifleet/spec-file';
import type { ClusterRequest } from '../cluster/cluster-options.ts';
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
import { fleetPublicKey } from './fleet-public-key.ts';
import { publicKeyOf } from './public-key.ts';

export interface PrepareRequest extends HostRequest, ClusterRequest {
  /** Fleet whose SSH key the host will accept. */
  readonly fleet?: string;
  readonly namespace?: string;
}

/**
 * Sets up sudo, auto-login and no sleep with the provider's own steps, for hosts whose password only the operator knows, and the SSH key of
 * a fleet, which no vendor installs on an owned Mac.
 */
export async function prepareFleetHost(request: PrepareRequest, context: CliContext): Promise<ExitCode> {
  const { output } = context;
  const authorizedKey = request.fleet === undefined ? undefined : await fleetPublicKey(request.fleet, request, context);
  return withHost(request, context, async connection => {
    const refused = await refusal(connection, context);
    if (refused) {
      output.write(recoveryPath(await refusedKey(request, connection, context)));
      throw refused;
    }
    const password = await askPassword(request, context);
    const plan = basePlan(userOf(request), { password, ...(authorizedKey ? { authorizedKey } : {}) });
    const { report } = await runPlan({ connection, plan, request: { ...request, ...HOW } }, context);
    output.write(nextLine(report, connection.host.address));
    return report.outcome === 'converged' ? exitCode.done : exitCode.failed;
  });
}

const HOW: Pick<ConvergeRequest, 'allow' | 'reboot'> = { allow: 'new VMs', reboot: false };

/** Checks the SSH login before the password prompt, so that the user does not type a password for a host that rejects the key. */
async function refusal({ host }: HostConnection, context: CliContext): Promise<CataloguedError | undefined> {
  try {
    await untilAborted(context, host.query(['/usr/bin/true']));
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

/** Reads the password from the file, from the terminal without echo, or from standard input. */
async function askPassword(request: HostRequest, context: CliContext): Promise<Secret> {
  const { passwordFile } = request;
  if (passwordFile !== undefined || !context.prompts) return readPassword(passwordFile ?? '-', context);
  const typed = await context.prompts.password(`Password of ${userOf(request)} on ${request.address.host}`);
  if (typed === undefined) throw abortError();
  return secretLine('password', Buffer.from(typed));
}

/** Renders the result and the next action. */
function nextLine({ outcome, steps }: ConvergeReport, address: string): string {
  if (outcome === 'converged') {
    return `${address} is ready and needs no reboot. The provider does the rest. To see the remaining differences:\n  minifleet host plan ${address} -f <spec file>\n`;
  }
  const done = steps.filter(({ changed }) => changed).map(({ id }) => id);
  const left = done.length === 0 ? 'nothing was changed' : `these steps were applied: ${done.join(', ')}`;
  return `${address} is not ready; ${left}\n`;
}

/** SSH key that a host rejects. Without it no login over SSH is possible. */
interface RefusedKey {
  readonly address: string;
  readonly user: string;
  readonly keyFile: string;
  /** Undefined if it cannot be derived from the private key. */
  readonly publicKey: string | undefined;
}

/** Renders step-by-step instructions to restore the SSH login, with the complete line to paste. */
function recoveryPath({ address, user, keyFile, publicKey }: RefusedKey): string {
  const line = publicKey ?? `(the output of: ssh-keygen -y -f ${keyFile})`;
  return `${address} rejects the SSH key ${keyFile}. Its public key is

${line}

Add the public key to the host in one of two ways, then run this command again:

  1. Open the host's remote desktop in the vendor's console, log in as ${user}, open Terminal and paste:

     mkdir -p ~/.ssh && chmod 700 ~/.ssh
     echo '${line}' >> ~/.ssh/authorized_keys
     chmod 600 ~/.ssh/authorized_keys

  2. Or register the key in the vendor's project and reinstall the host, which installs the key.
     This erases the host and changes its host key.
`;
}
