import { pause } from '@minifleet/clock';
import type { RemoteName } from '../storage/image-cache.ts';
import { hang, type TartCall, TartFailure } from '../tart-call.ts';
import { findCredentials, type RegistryCredentials } from './credentials.ts';

/** URLError: the only failure after which a pull retries. */
export class RegistryUrlFailure extends TartFailure {
  readonly words: string;

  constructor(words: string) {
    super(`Error: ${words}`);
    this.words = words;
  }
}

/** Foundation's message for a Node error. */
function urlFailureOf(error: unknown): RegistryUrlFailure {
  const cause = (error as { cause?: { code?: string } }).cause;
  const code = cause?.code ?? (error as { code?: string }).code ?? '';
  if (code === 'ECONNREFUSED') return new RegistryUrlFailure('Could not connect to the server.');
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new RegistryUrlFailure('A server with the specified hostname could not be found.');
  }
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') {
    return new RegistryUrlFailure('A TLS error caused the secure connection to fail.');
  }
  return new RegistryUrlFailure('The network connection was lost.');
}

export interface RegistryAccess {
  readonly insecure: boolean;
  readonly credentials?: RegistryCredentials;
}

interface RegistryRequest {
  readonly method?: string;
  readonly path: string;
  readonly body?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Current action, for the error. */
  readonly when: string;
  readonly expect: readonly number[];
}

interface RegistryResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** A registry as Tart sees it: sends requests, answers a challenge once, and fails with Tart's messages. */
export interface RegistryClient {
  ask(asking: RegistryRequest): Promise<RegistryResponse>;
}

export function registryClient(call: TartCall, host: string, access: RegistryAccess): RegistryClient {
  const base = call.host().registries?.[host] ?? `${access.insecure ? 'http' : 'https'}://${host}`;
  let authorization: string | undefined;
  return {
    async ask(asking) {
      let answer = await send(call, { base, asking, authorization });
      if (answer.status === 401) {
        const credentials = access.credentials ?? findCredentials(call, host);
        authorization = await authorize(call, answer.headers.get('www-authenticate') ?? '', credentials);
        answer = await send(call, { base, asking, authorization });
      }
      if (asking.expect.includes(answer.status)) return answer;
      const details = JSON.stringify(answer.body.toString());
      // Swift prints its enum with the labels; the format is that of openai/tart issue 277.
      throw new TartFailure(
        `Error: UnexpectedHTTPStatusCode(when: "${asking.when}", code: ${answer.status}, details: ${details})`,
      );
    },
  };
}

interface AuthorizedRequest {
  readonly base: string;
  readonly asking: RegistryRequest;
  readonly authorization: string | undefined;
}

async function send(call: TartCall, { base, asking, authorization }: AuthorizedRequest): Promise<RegistryResponse> {
  const url = asking.path.startsWith('http') ? asking.path : `${base}${asking.path}`;
  const method = asking.method ?? 'GET';
  const detail = `${method} ${url}`;
  const fault = call.around.faults.strike({ place: 'tart', kind: 'request', detail });
  if (fault?.type === 'delay') await pause(call.around.clock, fault.by);
  if (fault?.type === 'drop' && fault.when === 'before')
    throw new RegistryUrlFailure('The network connection was lost.');
  if (fault?.type === 'hang') await hang(call);
  if (fault?.type === 'fail') return { status: fault.code, headers: new Headers(), body: Buffer.from(fault.message) };
  try {
    const response = await fetch(url, {
      method,
      headers: { ...asking.headers, ...(authorization === undefined ? {} : { authorization }) },
      ...(asking.body === undefined ? {} : { body: new Uint8Array(asking.body) }),
    });
    const body = Buffer.from(await response.arrayBuffer());
    if (fault?.type === 'drop') throw new RegistryUrlFailure('The network connection was lost.');
    return { status: response.status, headers: response.headers, body };
  } catch (error) {
    throw error instanceof RegistryUrlFailure ? error : urlFailureOf(error);
  }
}

async function authorize(
  call: TartCall,
  challenge: string,
  credentials: RegistryCredentials | undefined,
): Promise<string | undefined> {
  const basic =
    credentials && `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`;
  if (!challenge.startsWith('Bearer ')) return basic;
  const part = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1] ?? '';
  const query = new URLSearchParams({ service: part('service'), scope: part('scope') });
  const asking = {
    path: `${part('realm')}?${query.toString()}`,
    when: 'retrieving an authentication token',
    expect: [200],
  };
  const answer = await send(call, { base: '', asking, authorization: basic });
  if (answer.status !== 200) {
    const details = JSON.stringify(answer.body.toString());
    throw new TartFailure(
      `Error: AuthFailed(why: "received unexpected HTTP status code ${answer.status} while retrieving an authentication token", details: ${details})`,
    );
  }
  return `Bearer ${(JSON.parse(answer.body.toString()) as { token: string }).token}`;
}

export const repositoryPath = (name: RemoteName): string => `/v2/${name.namespace}`;

/** Undefined if the credentials are valid, else the reason. */
export async function probeRegistry(call: TartCall, host: string, access: RegistryAccess): Promise<string | undefined> {
  try {
    await registryClient(call, host, access).ask({ path: '/v2/', when: 'doing ping', expect: [200] });
    return undefined;
  } catch (error) {
    if (error instanceof RegistryUrlFailure || !(error instanceof TartFailure)) throw error;
    return error.message.replace(/^Error: /, '');
  }
}
