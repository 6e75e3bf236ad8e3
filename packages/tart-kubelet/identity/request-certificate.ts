import type { Clock } from '@minifleet/clock';
import {
  type CertificateSigningRequest,
  type Client,
  certificateSigningRequests,
  createInformer,
  isAlreadyExists,
  type Log,
} from '@minifleet/kube';
import { certificateOf, fitsTogether, type NodeCredential } from './certificate-store.ts';
import { type CertificateTerms, certificateRequest, requestName } from './certificate-terms.ts';
import {
  CERTIFICATE_REQUEST_DENIED,
  CERTIFICATE_REQUEST_FAILED,
  CERTIFICATE_REQUEST_GONE,
  CERTIFICATE_UNUSABLE,
} from './errors.ts';

interface CertificateRequestOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly terms: CertificateTerms;
  readonly key: string;
  /** At least 600; the signer may grant less. */
  readonly expirationSeconds?: number | undefined;
  readonly signal: AbortSignal;
  /** Called when the request exists and waits for approval. */
  readonly onWaiting: (name: string) => void;
}

/** Requests a certificate and waits as long as necessary. A request from before a restart is found by its name. */
export async function requestCertificate(options: CertificateRequestOptions): Promise<NodeCredential> {
  const { terms, key, clock } = options;
  const name = requestName(terms, key);
  await createRequest(name, options);
  const certificate = await issuedCertificate(name, options);
  const credential = { certificate, key };
  // Anyone may create a request with this name; a certificate for another key is useless.
  if (!fitsTogether(credential)) throw CERTIFICATE_UNUSABLE({ name, why: 'it is for another key' });
  if (certificateOf(credential).validToDate.getTime() <= clock.now())
    throw CERTIFICATE_UNUSABLE({ name, why: 'it has expired; check the clock of this host' });
  return credential;
}

async function createRequest(name: string, options: CertificateRequestOptions): Promise<void> {
  const { client, terms, key, expirationSeconds, signal } = options;
  const request = Buffer.from(certificateRequest(terms, key)).toString('base64');
  const spec = {
    request,
    signerName: terms.signer,
    usages: [...terms.usages],
    ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
  };
  try {
    await client.create(certificateSigningRequests, { metadata: { name }, spec }, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** Watches the request, so that the certificate is available as soon as it is signed. */
async function issuedCertificate(name: string, options: CertificateRequestOptions): Promise<string> {
  const { client, clock, log, signal } = options;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const informer = createInformer<CertificateSigningRequest>({
    client,
    clock,
    log,
    resource: certificateSigningRequests,
    selection: { fieldSelector: `metadata.name=${name}` },
  });
  informer.subscribe(change => {
    if (change.type === 'deleted') return reject(CERTIFICATE_REQUEST_GONE({ name }));
    const state = requestState(change.object);
    if (state.state === 'issued') resolve(state.certificate);
    else if (state.state === 'denied') reject(CERTIFICATE_REQUEST_DENIED({ name, why: state.why }));
    else if (state.state === 'failed') reject(CERTIFICATE_REQUEST_FAILED({ name, why: state.why }));
    else options.onWaiting(name);
  });
  const done = new AbortController();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const following = informer.run(AbortSignal.any([signal, done.signal]));
  // The request was deleted between its creation and the first list: the watch would never report it.
  void informer.synced.then(() => informer.cache.size === 0 && reject(CERTIFICATE_REQUEST_GONE({ name })));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', stop);
    done.abort();
    await following;
  }
}

/** State of a certificate request. Approved without a certificate still counts as waiting: the signer comes next. */
type CertificateRequestState =
  | { readonly state: 'waiting'; readonly for: 'approval' | 'signature' }
  | { readonly state: 'issued'; readonly certificate: string }
  | { readonly state: 'denied'; readonly why: string }
  | { readonly state: 'failed'; readonly why: string };

export function requestState({ status }: CertificateSigningRequest): CertificateRequestState {
  const condition = (type: string) => status?.conditions?.find(one => one.type === type && one.status !== 'False');
  const denied = condition('Denied');
  if (denied) return { state: 'denied', why: denied.message || denied.reason || 'no reason given' };
  const failed = condition('Failed');
  if (failed) return { state: 'failed', why: failed.message || failed.reason || 'no reason given' };
  if (status?.certificate)
    return { state: 'issued', certificate: Buffer.from(status.certificate, 'base64').toString('utf8') };
  return { state: 'waiting', for: condition('Approved') ? 'signature' : 'approval' };
}
