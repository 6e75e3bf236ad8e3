import { Secret } from '@minifleet/secret';
import type { ApiRequest, Transport } from './transport.ts';

/** Receives every secret that a client reads: its credentials, the data of Secrets, and issued service account tokens. */
export interface SecretLearner {
  learn(secret: Secret): void;
}

/** Shorter values, such as `true` or a user name, occur in ordinary text. */
const SHORTEST_VALUE = 8;
/** Larger values are archives and certificate bundles, which no log line contains. Their encodings would cost megabytes. */
const LONGEST_VALUE = 16 * 1024;

const SECRETS = /^\/api\/v1\/(?:namespaces\/[^/]+\/)?secrets(?:\/|$)/;
const TOKEN_REQUEST = /\/serviceaccounts\/[^/]+\/token$/;

/** Reports the secrets in the responses of a transport. Reads of other resources cost nothing. */
export function learnSecrets(transport: Transport, learner: SecretLearner): Transport {
  return {
    async send(request) {
      const response = await transport.send(request);
      if (holdsSecrets(request) && response.status < 400) learnFrom(response.body, learner);
      return response;
    },
    async open(request) {
      const stream = await transport.open(request);
      if (!holdsSecrets(request)) return stream;
      return { ...stream, lines: reported(stream.lines, learner), close: () => stream.close() };
    },
    close: () => transport.close(),
  };
}

const holdsSecrets = ({ method, path }: ApiRequest): boolean =>
  method !== 'DELETE' && (SECRETS.test(path) || TOKEN_REQUEST.test(path));

async function* reported(lines: AsyncIterable<string>, learner: SecretLearner): AsyncGenerator<string> {
  for await (const line of lines) {
    learnFrom(line, learner);
    yield line;
  }
}

interface SecretHolder {
  readonly kind?: string;
  readonly metadata?: { readonly namespace?: string; readonly name?: string };
  readonly data?: Readonly<Record<string, string>>;
  /** Set in a TokenRequest. */
  readonly status?: { readonly token?: string };
  /** Set in a list. */
  readonly items?: readonly SecretHolder[];
  /** Set in a watch event. */
  readonly object?: SecretHolder;
}

/** The client reports text that is no JSON, so it is ignored here. */
function learnFrom(text: string, learner: SecretLearner): void {
  try {
    learnObject(JSON.parse(text) as SecretHolder, learner);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

function learnObject(
  { metadata = {}, data = {}, status, items = [], object }: SecretHolder,
  learner: SecretLearner,
): void {
  const name = `Secret ${[metadata.namespace, metadata.name].filter(Boolean).join('/')}`;
  for (const [key, encoded] of Object.entries(data)) {
    const value = Buffer.from(encoded, 'base64');
    for (const each of [value, ...registryPasswords(key, value)]) learnValue(name, each, learner);
  }
  if (typeof status?.token === 'string') learnValue('service account token', status.token, learner);
  for (const item of items) learnObject(item, learner);
  if (object) learnObject(object, learner);
}

function learnValue(name: string, value: string | Buffer, learner: SecretLearner): void {
  const { length } = value.toString('utf8').trim();
  if (length >= SHORTEST_VALUE && value.length <= LONGEST_VALUE) learner.learn(new Secret(name, value));
}

/** Passwords inside the JSON of an image pull Secret: `{"auths":{"ghcr.io":{"password":"…","auth":"…"}}}`. */
function registryPasswords(key: string, value: Buffer): string[] {
  if (key !== '.dockerconfigjson' && key !== '.dockercfg') return [];
  try {
    return passwordsIn(JSON.parse(value.toString('utf8')));
  } catch {
    return [];
  }
}

function passwordsIn(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, each]) =>
    typeof each === 'string' && /^(password|auth|identitytoken|registrytoken)$/i.test(key) ? [each] : passwordsIn(each),
  );
}
