import { CataloguedError } from '@minifleet/errors';
import { HOST_IDENTITY_CHANGED } from '@minifleet/host';
import type { CliContext } from '../context.ts';
import { hostPort } from './address.ts';
import { connectHost, type HostConnection, knownHostsFile } from './connect-host.ts';
import { connectOptionsOf, type HostRequest } from './host-request.ts';
import { openKnownHosts } from './known-hosts.ts';

/** Connects to the host, runs the work and always closes the connection. */
export async function withHost<T>(
  request: HostRequest,
  context: CliContext,
  work: (connection: HostConnection) => Promise<T>,
): Promise<T> {
  const connection = await connectHost(connectOptionsOf(request), context);
  try {
    return await work(connection);
  } catch (error) {
    throw await withPinLocation(error, request, context);
  } finally {
    await connection.close();
  }
}

/** Adds the known_hosts line to a host key error, so that the user who reinstalled the host can remove it. */
async function withPinLocation(error: unknown, request: HostRequest, context: CliContext): Promise<unknown> {
  if (!(error instanceof CataloguedError) || error.code !== HOST_IDENTITY_CHANGED.code) return error;
  if (request.hostKey !== undefined) return error;
  const file = knownHostsFile(context);
  const pin = await openKnownHosts(file).find(hostPort(request.address));
  if (pin === undefined) return error;
  const { code, retry, reason, message } = error;
  const advice = `the saved key is line ${pin.line} of ${file}`;
  return new CataloguedError({ code, retry, reason }, `${message}; ${advice}`, { cause: error });
}
