import { generateKeyPairSync } from 'node:crypto';
import { type Clock, formatDuration, minutes, pause, seconds, timestamp } from '@minifleet/clock';
import { messageOf } from '@minifleet/errors';
import {
  type Client,
  certificateSigningRequests,
  isForbidden,
  isNotFound,
  retryOnConflict,
  secrets,
} from '@minifleet/kube';
import { writeCertificateRequest } from '@minifleet/x509';

/** Result of a trial in the cluster. A trial that a user may not perform proves nothing. */
export type TrialResult =
  | { readonly kind: 'works' }
  | { readonly kind: 'fails'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string }
  /** The object of the trial is still there. */
  | { readonly kind: 'left behind'; readonly why: string; readonly remove: string };

export interface TrialDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly random: (bytes: number) => Uint8Array;
}

const POLL_INTERVAL = seconds(0.5);
/** The API server learns about a new token through a watch, within milliseconds. */
const TOKEN_TIMEOUT = seconds(10);
const SIGNING_TIMEOUT = seconds(20);
/** The token cleaner and the certificate expire what a killed preflight leaves behind. */
const TOKEN_LIFETIME = minutes(5);
const CERTIFICATE_SECONDS = 600;

/**
 * Creates a bootstrap token that grants nothing, and asks the API server who it is. A TokenReview uses the same authenticators as a request
 * of a joining node.
 */
export async function tryBootstrapToken(deps: TrialDeps): Promise<TrialResult> {
  const { client, clock, random } = deps;
  const [id, secret] = [letters(random(6)), letters(random(16))];
  const key = { namespace: 'kube-system', name: `bootstrap-token-${id}` };
  const fields = {
    'token-id': id,
    'token-secret': secret,
    'usage-bootstrap-authentication': 'true',
    description: 'Created by minifleet doctor --preflight, which deletes it.',
    expiration: timestamp(clock.now() + TOKEN_LIFETIME),
  };
  const made = await attempt('create Secrets in kube-system', () =>
    client.create(secrets, { metadata: key, type: 'bootstrap.kubernetes.io/token', stringData: fields }),
  );
  if (made.kind !== 'works') return made;
  return thenRemove(
    () => waitForToken(id, secret, deps),
    () => client.delete(secrets, key),
    `kubectl delete secret -n kube-system ${key.name}`,
  );
}

async function waitForToken(id: string, secret: string, deps: TrialDeps): Promise<TrialResult> {
  const { client } = deps;
  const user = `system:bootstrap:${id}`;
  const isKnown = async (): Promise<boolean> => {
    const spec = { token: `${id}.${secret}` };
    const kind = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' };
    const path = '/apis/authentication.k8s.io/v1/tokenreviews';
    const answer = await client.send({ method: 'POST', path, body: { ...kind, spec } });
    return (JSON.parse(answer) as { status?: { user?: { username?: string } } }).status?.user?.username === user;
  };
  const why = `the API server did not accept a bootstrap token within ${formatDuration(TOKEN_TIMEOUT)}`;
  return attempt('create tokenreviews', () => until(isKnown, TOKEN_TIMEOUT, why, deps));
}

/** Signers of the certificates of the agent. */
export const SIGNERS = {
  client: { name: 'kubernetes.io/kube-apiserver-client-kubelet', usage: 'client auth' },
  serving: { name: 'kubernetes.io/kubelet-serving', usage: 'server auth' },
} as const;

type Signer = (typeof SIGNERS)[keyof typeof SIGNERS];

/** Requests, approves and receives a certificate for a Node that does not exist. Its key is discarded with this call. */
export async function trySigner(signer: Signer, deps: TrialDeps): Promise<TrialResult> {
  const { client, random } = deps;
  const name = `minifleet-preflight-${letters(random(8))}`;
  const request = {
    metadata: { name },
    spec: {
      signerName: signer.name,
      usages: ['digital signature' as const, signer.usage],
      expirationSeconds: CERTIFICATE_SECONDS,
      request: Buffer.from(nodeRequest(name, signer)).toString('base64'),
    },
  };
  const made = await attempt('create certificatesigningrequests', () =>
    client.create(certificateSigningRequests, request),
  );
  if (made.kind !== 'works') return made;
  return thenRemove(
    async () => {
      const approved = await attempt(`approve certificates of ${signer.name}`, () => approve(name, client));
      return approved.kind === 'works' ? waitForCertificate(name, deps) : approved;
    },
    () => client.delete(certificateSigningRequests, { name }),
    `kubectl delete csr ${name}`,
  );
}

function nodeRequest(name: string, signer: Signer): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const dnsNames = signer === SIGNERS.serving ? [name] : [];
  const names = { commonName: `system:node:${name}`, organizations: ['system:nodes'], dnsNames, addresses: [] };
  return writeCertificateRequest(names, key);
}

/** The controller manager approves the client certificate of a requester who may approve it, and is often faster. */
const approve = (name: string, client: Client): Promise<unknown> =>
  retryOnConflict(async () => {
    const request = await client.get(certificateSigningRequests, { name });
    if (request.status?.conditions?.some(({ type }) => type === 'Approved')) return;
    const message = 'Approved by minifleet doctor --preflight, which deletes this request.';
    const conditions = [{ type: 'Approved', status: 'True' as const, reason: 'Preflight', message }];
    await client.update(
      certificateSigningRequests,
      { ...request, status: { ...request.status, conditions } },
      { subresource: 'approval' },
    );
  });

async function waitForCertificate(name: string, deps: TrialDeps): Promise<TrialResult> {
  let refusal: string | undefined;
  const isSigned = async (): Promise<boolean> => {
    const { status } = await deps.client.get(certificateSigningRequests, { name });
    refusal = status?.conditions?.find(({ type }) => type === 'Failed' || type === 'Denied')?.message;
    return refusal !== undefined || (status?.certificate ?? '') !== '';
  };
  const why = `an approved request was not signed within ${formatDuration(SIGNING_TIMEOUT)}`;
  const signed = await attempt('get certificatesigningrequests', () => until(isSigned, SIGNING_TIMEOUT, why, deps));
  return refusal === undefined ? signed : { kind: 'fails', why: `an approved request was rejected: ${refusal}` };
}

class TrialTimeout extends Error {}

async function until(
  isDone: () => Promise<boolean>,
  timeout: number,
  why: string,
  { clock, signal }: TrialDeps,
): Promise<void> {
  const end = clock.now() + timeout;
  while (!(await isDone())) {
    signal.throwIfAborted();
    if (clock.now() >= end) throw new TrialTimeout(why);
    await pause(clock, POLL_INTERVAL, signal);
  }
}

/** A missing permission is no result; a timeout is one. */
async function attempt(permission: string, work: () => Promise<unknown>): Promise<TrialResult> {
  try {
    await work();
    return { kind: 'works' };
  } catch (error) {
    if (error instanceof TrialTimeout) return { kind: 'fails', why: error.message };
    if (isForbidden(error)) return { kind: 'unknown', why: `you are not allowed to ${permission}` };
    throw error;
  }
}

/** Removes the object after an interruption as well. */
async function thenRemove(
  trial: () => Promise<TrialResult>,
  remove: () => Promise<unknown>,
  command: string,
): Promise<TrialResult> {
  let left: TrialResult | undefined;
  let result: TrialResult;
  try {
    result = await trial();
  } finally {
    left = await leftBehind(remove, command);
  }
  return left ?? result;
}

async function leftBehind(remove: () => Promise<unknown>, command: string): Promise<TrialResult | undefined> {
  try {
    await remove();
    return undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    return { kind: 'left behind', why: messageOf(error), remove: command };
  }
}

/** Characters of a bootstrap token, one for each byte. */
const letters = (bytes: Uint8Array): string => [...bytes].map(byte => (byte % 36).toString(36)).join('');
