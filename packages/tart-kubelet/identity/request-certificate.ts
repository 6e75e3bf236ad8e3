import type { Clock } from '@minifleet/clock';
import {
  type CertificateSigningRequest,
  type Client,
  certificateSigningRequests,
  createInformer,
  isAlreadyExists,
  type Log,
} from '@minifleet/kube';
import { type Credential, certificateOf, fitsTogether } from './certificate-store.ts';
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
  /** At least 600; the signer may give less than asked. */
  readonly expirationSeconds?: number | undefined;
  readonly signal: AbortSignal;
  /** The request is there, and waits for somebody. */
  readonly onWaiting: (name: string) => void;
}

/** Asks for a certificate and waits as long as it takes. A request made before a restart is found again by its name. */
export async function requestCertificate(options: CertificateRequestOptions): Promise<Credential> {
  const { terms, key, clock } = options;
  const name = requestName(terms, key);
  await createRequest(name, options);
  const certificate = await issuedCertificate(name, options);
  const credential = { certificate, key };
  // Anybody may create a request under our name; a certificate for another key is of no use to us.
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

/** Follows the request with a watch: the certificate is here the moment it is signed. */
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
  // Removed between our create and the first list: no watch would ever tell.
  void informer.synced.then(() => informer.cache.size === 0 && reject(CERTIFICATE_REQUEST_GONE({ name })));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', stop);
    done.abort();
    await following;
  }
}

/** Where a certificate request stands. Approved without a certificate is still waiting: the signer comes next. */
type RequestState =
  | { readonly state: 'waiting'; readonly for: 'approval' | 'signature' }
  | { readonly state: 'issued'; readonly certificate: string }
  | { readonly state: 'denied'; readonly why: string }
  | { readonly state: 'failed'; readonly why: string };

export function requestState({ status }: CertificateSigningRequest): RequestState {
  const condition = (type: string) => status?.conditions?.find(one => one.type === type && one.status !== 'False');
  const denied = condition('Denied');
  if (denied) return { state: 'denied', why: denied.message || denied.reason || 'no reason given' };
  const failed = condition('Failed');
  if (failed) return { state: 'failed', why: failed.message || failed.reason || 'no reason given' };
  if (status?.certificate)
    return { state: 'issued', certificate: Buffer.from(status.certificate, 'base64').toString('utf8') };
  return { state: 'waiting', for: condition('Approved') ? 'signature' : 'approval' };
}
