import { CataloguedError } from '@minifleet/errors';
import { HOST_KEY_REFUSED, type Secret } from '@minifleet/host';
import { secretLine } from '@minifleet/spec-file';
import type { CliContext } from '../context.ts';
import type { HostConnection } from '../host/connect-host.ts';
import { type HostRequest, userOf } from '../host/host-request.ts';
import { readIdentity } from '../host/identity.ts';
import { readPassword } from '../host/read-password.ts';
import { abortError, untilAborted } from '../stop.ts';
import { publicKeyOf } from './public-key.ts';

/** Checks the SSH login. If the host rejects the key, prints how to restore the login and throws. */
export async function requireLogin(
  request: HostRequest,
  connection: HostConnection,
  context: CliContext,
): Promise<void> {
  const refused = await refusal(connection, context);
  if (!refused) return;
  context.output.write(recoveryPath(await refusedKey(request, connection, context)));
  throw refused;
}

/** Checked before the password prompt, so that the user does not type a password for a host that rejects the key. */
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
export async function askPassword(request: HostRequest, context: CliContext): Promise<Secret> {
  const { passwordFile } = request;
  if (passwordFile !== undefined || !context.prompts) return readPassword(passwordFile ?? '-', context);
  const typed = await context.prompts.password(`Password of ${userOf(request)} on ${request.address.host}`);
  if (typed === undefined) throw abortError();
  return secretLine('password', Buffer.from(typed));
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
