import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { formatDuration, seconds } from '@minifleet/clock';
import { messageOf } from '@minifleet/errors';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Result of a TLS connection from this computer to the address that the Macs will use. */
export type EndpointProbe =
  | { readonly kind: 'connected'; readonly alpn: string | false }
  | { readonly kind: 'certificate rejected' | 'unknown name' | 'unreachable'; readonly why: string };

const TIMEOUT = seconds(5);

/** Connects like the agent: HTTP/2 over TLS with the certificate authority of the cluster. Sends no request. */
export async function probeEndpoint({ host, port }: Endpoint, authority: string): Promise<EndpointProbe> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  // TLS has no server names for addresses; Node then compares the certificate with the host.
  const name = isIP(host) === 0 ? { servername: host } : {};
  const socket = connect({ host, port, ca: authority, ALPNProtocols: ['h2', 'http/1.1'], ...name });
  socket.setTimeout(TIMEOUT, () => reject(new Error(`no answer within ${formatDuration(TIMEOUT)}`)));
  socket.once('secureConnect', () => resolve(socket));
  socket.once('error', reject);
  try {
    return { kind: 'connected', alpn: (await promise).alpnProtocol ?? false };
  } catch (error) {
    return { kind: kindOf((error as { code?: string }).code ?? ''), why: messageOf(error) };
  } finally {
    socket.destroy();
  }
}

function kindOf(code: string): 'certificate rejected' | 'unknown name' | 'unreachable' {
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code)) return 'certificate rejected';
  return code === 'ENOTFOUND' || code === 'EAI_AGAIN' ? 'unknown name' : 'unreachable';
}
