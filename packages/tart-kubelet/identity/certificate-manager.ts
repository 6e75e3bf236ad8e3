import type { X509Certificate } from 'node:crypto';
import { type Clock, createBackOff, milliseconds, minutes, seconds } from '@minifleet/clock';
import { CataloguedError, type Client, errorFields, type Log, messageOf } from '@minifleet/kube';
import { fails, holds, type NodeFinding } from '../node/finding.ts';
import { createWakeableSleep, type WakeableSleep } from '../node/wakeable-sleep.ts';
import { type CertificateStore, certificateOf, type NodeCredential } from './certificate-store.ts';
import { type CertificateTerms, covers } from './certificate-terms.ts';
import { CERTIFICATE_REQUEST_GONE } from './errors.ts';
import { requestCertificate } from './request-certificate.ts';

/**
 * Time of the next renewal: after 70 to 90 % of the lifetime, chosen at random, so that a fleet does not renew at once.
 * A certificate issued just now is kept for at least a tenth of its lifetime: on a host whose clock is ahead, each
 * would be due at once, and the agent would request endlessly.
 */
export function renewalTime(certificate: X509Certificate, random: number, issuedAt = 0): number {
  const [from, to] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()];
  const life = to - from;
  return Math.max(from + life * (0.7 + 0.2 * random), issuedAt + life * 0.1);
}

const expired = (certificate: X509Certificate, now: number): boolean => now >= certificate.validToDate.getTime();

export interface CertificateManagerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: CertificateStore;
  /** Required content of the certificate; undefined while it is unknown. */
  readonly terms: () => CertificateTerms | undefined;
  /**
   * Client for the request; `valid` reports whether the current certificate is still valid. Throws if there is none.
   */
  readonly client: (valid: boolean) => Client;
  readonly expirationSeconds?: number | undefined;
  /** Called with each credential to use from now on, including the stored one at the start. It is already on disk. */
  readonly onCredential: (credential: NodeCredential) => void;
  readonly onChange: () => void;
}

const RETRY = { first: seconds(1), most: minutes(5), jitter: 0.2 };
/** Timers stop while a Mac sleeps and ignore clock changes; checking is free. */
const CHECK_INTERVAL = minutes(60);

/** Keeps one certificate valid for as long as it runs. */
export class CertificateManager {
  readonly #options: CertificateManagerOptions;
  readonly #rest: WakeableSleep;
  #held: { readonly credential: NodeCredential; readonly renewAt: number } | undefined;
  /** Cancels the request in progress. */
  #attempt: AbortController | undefined;
  /** The terms last checked. */
  #terms: string | undefined;
  #waitingFor: string | undefined;
  #error: CertificateError | undefined;

  constructor(options: CertificateManagerOptions) {
    this.#options = options;
    this.#rest = createWakeableSleep(options.clock);
  }

  get view(): CertificateState {
    return { valid: this.#valid, waitingFor: this.#waitingFor, error: this.#error };
  }

  /**
   * Called when the terms may have changed: cancels a request for other terms. Unchanged terms wake nothing: the
   * condition that reports a denial is itself a report that leads here, and would cut every back-off short.
   */
  recheck(): void {
    if (JSON.stringify(this.#options.terms()) === this.#terms) return;
    this.#attempt?.abort(OTHER_TERMS);
    this.#rest.wake();
  }

  /** Drops a certificate that the cluster rejects. It stays on disk until it is replaced. */
  distrust(): void {
    this.#held = undefined;
    this.#rest.wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, store, terms: currentTerms } = this.#options;
    const backOff = createBackOff(RETRY, clock);
    const stored = await store.read();
    if (stored) this.#hold(stored);
    while (!signal.aborted) {
      const terms = currentTerms();
      this.#terms = JSON.stringify(terms);
      if (!terms || !this.#due(terms)) {
        this.#setState({});
        await this.#rest.sleep(untilRenewal(this.#held?.renewAt, clock.now()), signal);
      } else if (await this.#attemptRenewal(terms, signal)) backOff.reset();
      else await this.#rest.sleep(backOff.next(), signal);
    }
  }

  get #valid(): boolean {
    return this.#held !== undefined && !expired(certificateOf(this.#held.credential), this.#options.clock.now());
  }

  #due(terms: CertificateTerms): boolean {
    if (!this.#held || this.#options.clock.now() >= this.#held.renewAt) return true;
    return !covers(certificateOf(this.#held.credential), terms);
  }

  /** False: the attempt failed, and the next one must wait. */
  async #attemptRenewal(terms: CertificateTerms, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#renew(terms, signal);
      return true;
    } catch (error) {
      if (signal.aborted || error === OTHER_TERMS) return true;
      this.#options.log.warn(errorFields(error), 'Certificate request failed; retrying');
      // A denied request would be denied again under the same name; a lost one is requested again.
      if (isDenial(error)) await this.#options.store.discardNextKey();
      this.#setState({ error: certificateErrorOf(error) });
      return false;
    }
  }

  async #renew(terms: CertificateTerms, signal: AbortSignal): Promise<void> {
    const { store, client, clock } = this.#options;
    const stop = new AbortController();
    this.#attempt = stop;
    try {
      const credential = await requestCertificate({
        ...this.#options,
        client: client(this.#valid),
        terms,
        key: await store.nextKey(),
        signal: AbortSignal.any([signal, stop.signal]),
        onWaiting: name => this.#setState({ waitingFor: name, error: this.#error }),
      });
      await store.keep(credential);
      this.#hold(credential, clock.now());
    } finally {
      this.#attempt = undefined;
    }
  }

  #hold(credential: NodeCredential, issuedAt?: number): void {
    const { clock, onCredential } = this.#options;
    this.#held = { credential, renewAt: renewalTime(certificateOf(credential), clock.random(), issuedAt) };
    onCredential(credential);
    this.#setState({});
  }

  #setState({ waitingFor, error }: Pick<CertificateState, 'waitingFor' | 'error'>): void {
    this.#waitingFor = waitingFor;
    this.#error = error;
    this.#options.onChange();
  }
}

const OTHER_TERMS = new Error('the certificate terms have changed');

const untilRenewal = (renewAt: number | undefined, now: number) =>
  milliseconds(Math.min(CHECK_INTERVAL, Math.max(1_000, (renewAt ?? Number.POSITIVE_INFINITY) - now)));

const isDenial = (error: unknown): boolean =>
  error instanceof CataloguedError &&
  error.code.startsWith('CERTIFICATE_') &&
  error.code !== CERTIFICATE_REQUEST_GONE.code;

const certificateErrorOf = (error: unknown): CertificateError => ({
  reason: error instanceof CataloguedError ? error.reason : 'CertificateRequestNotSent',
  message: messageOf(error),
});

/** State of one certificate. */
interface CertificateState {
  readonly valid: boolean;
  /** Name of the request that waits for approval. */
  readonly waitingFor?: string | undefined;
  /** Error of the last attempt; cleared by the next success. */
  readonly error?: CertificateError | undefined;
}

export interface CertificateError {
  readonly reason: string;
  readonly message: string;
}

/** Computes the condition CertificatesReady. A failing renewal is reported while the certificate is still valid. */
export function certificateFinding(client: CertificateState, serving: CertificateState): NodeFinding {
  for (const [which, view] of [
    ['client', client],
    ['serving', serving],
  ] as const) {
    if (view.valid) continue;
    if (view.error) return fails(view.error.reason, `no ${which} certificate: ${view.error.message}`);
    if (view.waitingFor)
      return fails('WaitingForApproval', `no ${which} certificate: ${view.waitingFor} is waiting for approval`);
    return fails('NoCertificate', `no ${which} certificate yet`);
  }
  const error = client.error ?? serving.error;
  if (error) return holds('RenewalFails', `certificates are valid, but renewal fails: ${error.message}`);
  return holds('CertificatesValid', 'client and serving certificate are valid');
}
