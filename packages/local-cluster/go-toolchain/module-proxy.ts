/** Downloads files from Go module proxies, by the rules of GOPROXY. */
import { createWriteStream } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { getCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';

export type ProxyDownload = {
  /** Path under the proxy: `golang.org/toolchain/@v/v0.0.1-go1.26.8.linux-amd64.zip`. */
  readonly path: string;
  readonly to: string;
  /** GOPROXY, and HTTPS_PROXY and its like, are read from here. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly onProgress?: (received: number, total: number | undefined) => void;
  /** Milliseconds between attempts, and without any data before an attempt is given up. */
  readonly retryPause?: number;
  readonly idleTimeout?: number;
};

type ModuleProxy = { readonly url: URL; readonly next: 'after not found' | 'after any error' };

const DEFAULT_GOPROXY = 'https://proxy.golang.org,direct';
/** The go-import tag of golang.org/toolchain names this proxy, so it is what `direct` means for a toolchain. */
const DIRECT = 'https://go.dev/dl/mod';
const ATTEMPTS = 3;
const RETRY_PAUSE = 2_000;
const IDLE_TIMEOUT = 30_000;
const MAX_REDIRECTS = 5;
/** Go's own limit for a module zip. */
const MAX_BYTES = 500 << 20;

/** Lists the proxies of a GOPROXY value. A comma falls back after 404 and 410, a bar after any error. */
export function moduleProxies(goproxy: string | undefined): ModuleProxy[] {
  const proxies: ModuleProxy[] = [];
  for (const [, entry = '', separator] of (goproxy || DEFAULT_GOPROXY).matchAll(/([^,|]+)([,|]?)/g)) {
    const text = entry.trim();
    if (text === 'off') break;
    const url = text === 'direct' ? DIRECT : text;
    if (!URL.canParse(url)) throw new Error(`GOPROXY has an entry that is not a URL: ${text}`);
    proxies.push({ url: new URL(url), next: separator === '|' ? 'after any error' : 'after not found' });
    if (text === 'direct') break;
  }
  return proxies;
}

/** Downloads from the first proxy that has the file and returns the host's name. The error names every proxy tried. */
export async function downloadFromProxy(download: ProxyDownload): Promise<string> {
  const proxies = moduleProxies(download.variables['GOPROXY']);
  if (proxies.length === 0) throw new Error('GOPROXY=off forbids downloads');
  const failures: string[] = [];
  for (const { url, next } of proxies) {
    const name = url.host || url.pathname;
    try {
      await retry(() => downloadOnce(new URL(`${url.href.replace(/\/$/, '')}/${download.path}`), download), download);
      return name;
    } catch (error) {
      if (isDiskFull(error)) throw error;
      failures.push(`${name}: ${reasonOf(error)}`);
      if (next === 'after not found' && !(error instanceof HttpStatusError && error.notFound)) break;
    }
  }
  throw new Error(failures.join('; '));
}

class HttpStatusError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`HTTP status ${status}`);
    this.status = status;
  }

  get notFound(): boolean {
    return this.status === 404 || this.status === 410;
  }
}

export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

async function retry(attempt: () => Promise<void>, { retryPause = RETRY_PAUSE }: ProxyDownload): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      const refused = error instanceof HttpStatusError && error.status < 500;
      if (refused || isDiskFull(error) || attempts === ATTEMPTS) throw error;
      await pause(retryPause);
    }
  }
}

async function downloadOnce(url: URL, download: ProxyDownload): Promise<void> {
  if (url.protocol === 'file:') return copyFile(fileURLToPath(url), download.to);
  const response = await get(url, download);
  const total = Number(response.headers['content-length']) || undefined;
  let received = 0;
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      received += chunk.length;
      if (received > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`);
      download.onProgress?.(received, total);
      yield chunk;
    }
  };
  await pipeline(response, counted, createWriteStream(download.to));
  if (total !== undefined && received !== total) throw new Error(`${received} of ${total} bytes`);
}

async function get(url: URL, download: ProxyDownload, redirects = 0): Promise<IncomingMessage> {
  const response = await request(url, download);
  const { statusCode = 0, headers } = response;
  if (statusCode === 200) return response;
  response.resume();
  if (statusCode < 300 || statusCode >= 400 || headers.location === undefined) throw new HttpStatusError(statusCode);
  if (redirects === MAX_REDIRECTS) throw new Error('too many redirects');
  return get(new URL(headers.location, url), download, redirects + 1);
}

/** Not `fetch`: an agent can use HTTPS_PROXY for one request, without a change for the whole process. */
function request(url: URL, { variables, idleTimeout = IDLE_TIMEOUT }: ProxyDownload): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { Agent, get: send } = url.protocol === 'http:' ? http : https;
  const sent = send(url, { agent: new Agent({ proxyEnv: variables, ca: certificateAuthorities() }) });
  let response: IncomingMessage | undefined;
  sent.once('response', incoming => {
    response = incoming;
    resolve(incoming);
  });
  // The reader of the response gets the error from it; before the response, the request has it.
  sent.setTimeout(idleTimeout, () => (response ?? sent).destroy(new Error(`no data for ${idleTimeout / 1_000} s`)));
  sent.on('error', reject);
  return promise;
}

/** Node trusts only its own list. Like go, this also trusts the system's certificate authorities, because corporate proxies inspect TLS. */
function certificateAuthorities(): string[] {
  return [...new Set([...getCACertificates('default'), ...getCACertificates('system')])];
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' && !error.message ? error.code : error.message;
}
