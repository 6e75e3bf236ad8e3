import { type ClientHttp2Session, connect, constants } from 'node:http2';
import type { ConnectionOptions } from 'node:tls';
import { type Clock, type Duration, formatDuration } from '@minifleet/clock';
import { ConnectionError } from './api-error.ts';

interface SessionOptions {
  readonly server: URL;
  readonly clock: Clock;
  readonly connectTimeout: Duration;
  readonly pingInterval: Duration;
  readonly pingTimeout: Duration;
  /** Read for every connection, so that the next connection uses a renewed certificate. */
  readonly tls: () => Promise<ConnectionOptions>;
}

// Node's default of 64 KiB makes a long list wait for a window update every few objects.
const WINDOW_SIZE = 4 * 1024 * 1024;

/** One HTTP/2 connection. It is opened when first needed, and replaced when it is lost or the server sends GOAWAY. */
export class SessionSlot {
  readonly #options: SessionOptions;
  #session: Promise<ClientHttp2Session> | undefined;
  #current: ClientHttp2Session | undefined;
  #closed = false;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** The live session; concurrent callers share one connection attempt. */
  async session(): Promise<ClientHttp2Session> {
    if (this.#closed) throw new ConnectionError('the client is closed', { unsent: true });
    if (this.#current && (this.#current.closed || this.#current.destroyed)) this.forget(this.#current);
    this.#session ??= this.#connect();
    const attempt = this.#session;
    try {
      return await attempt;
    } catch (error) {
      if (this.#session === attempt) this.#session = undefined;
      throw error;
    }
  }

  /** Makes the next caller reconnect. Open streams of the old session may finish. */
  forget(session: ClientHttp2Session): void {
    if (this.#current !== session) return;
    this.#current = undefined;
    this.#session = undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const pending = this.#session;
    this.#session = undefined;
    const session = await pending?.catch(() => undefined);
    session?.destroy();
  }

  async #connect(): Promise<ClientHttp2Session> {
    const { server, clock, connectTimeout } = this.#options;
    const tls = await this.#options.tls();
    const session = connect(server, {
      ...tls,
      ALPNProtocols: ['h2'],
      settings: { enablePush: false, initialWindowSize: WINDOW_SIZE },
    });
    await new Promise<void>((resolve, reject) => {
      const fail = (cause: unknown): void => {
        deadline.cancel();
        session.destroy();
        reject(new ConnectionError(explainConnectFailure(server, cause), { cause, unsent: true }));
      };
      const deadline = clock.after(connectTimeout, () =>
        fail(new Error(`no answer within ${formatDuration(connectTimeout)}`)),
      );
      session.once('error', fail);
      session.once('connect', () => {
        deadline.cancel();
        session.removeListener('error', fail);
        resolve();
      });
    });
    session.setLocalWindowSize(WINDOW_SIZE);
    session.on('error', () => this.forget(session)); // each stream reports the loss to its own caller
    session.once('goaway', () => this.forget(session));
    session.once('close', () => this.forget(session));
    this.#watchForSilence(session);
    this.#current = session;
    return session;
  }

  /**
   * A peer that vanished without a FIN leaves a socket that looks healthy for ever, and a proxy that stalls still
   * answers TCP keepalives. Only an HTTP/2 PING proves that someone is reading.
   */
  #watchForSilence(session: ClientHttp2Session): void {
    const { clock, pingInterval, pingTimeout } = this.#options;
    let timer = clock.after(pingInterval, ping);
    session.once('close', () => timer.cancel());
    function ping(): void {
      if (session.destroyed) return;
      const deadline = clock.after(pingTimeout, () => {
        session.destroy(
          new Error(`no answer to a ping within ${formatDuration(pingTimeout)}`),
          constants.NGHTTP2_CANCEL,
        );
      });
      session.ping(() => {
        deadline.cancel();
        if (!session.destroyed) timer = clock.after(pingInterval, ping);
      });
    }
  }
}

/** Common mistakes in a kubeconfig, distinguished by the error of the socket. */
function explainConnectFailure(server: URL, cause: unknown): string {
  const code = (cause as { code?: string }).code ?? '';
  const text = cause instanceof Error ? cause.message : String(cause);
  const where = `cannot connect to the API server ${server.origin}`;
  if (code === 'ECONNREFUSED')
    return `${where}: connection refused; check that the cluster is running and that the port is correct`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `${where}: the host name does not resolve; check 'server' in the kubeconfig`;
  if (/ALTNAME/.test(code))
    return `${where}: the server certificate is for another name; check 'server' or set 'tls-server-name' in the kubeconfig`;
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return `${where}: the server certificate is not signed by the kubeconfig's 'certificate-authority' (${code})`;
  }
  if (/ALPN|HTTP2|EPROTO|wrong version|PROTOCOL/i.test(`${code} ${text}`))
    return `${where}: the server does not support HTTP/2 over TLS (${text})`;
  return `${where}: ${text}`;
}
