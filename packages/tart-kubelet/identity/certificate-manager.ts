import type { X509Certificate } from 'node:crypto';
import { type Clock, createBackOff, milliseconds, minutes, seconds } from '@minifleet/clock';
import { CataloguedError, type Client, errorFields, type Log, messageOf } from '@minifleet/kube';
import { type Finding, fails, holds } from '../node/finding.ts';
import { createWakeableSleep, type WakeableSleep } from '../node/wakeable-sleep.ts';
import { type CertificateStore, type Credential, certificateOf } from './certificate-store.ts';
import { type CertificateTerms, covers } from './certificate-terms.ts';
import { CERTIFICATE_REQUEST_GONE } from './errors.ts';
import { requestCertificate } from './request-certificate.ts';

/**
 * When to ask for the next certificate: after 70 to 90 % of this one's life, by chance, so that a fleet does not ask at once.
 * One that was issued just now is kept for a tenth of its life at least: on a host whose clock is ahead each would be old
 * when it comes, and we would ask without end.
 */
export function renewalTime(certificate: X509Certificate, random: number, issuedAt = 0): number {
  const [from, to] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()];
  const life = to - from;
  return Math.max(from + life * (0.7 + 0.2 * random), issuedAt + life * 0.1);
}

const expired = (certificate: X509Certificate, now: number): boolean => now >= certificate.validToDate.getTime();

export interface KeepOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: CertificateStore;
  /** What the certificate must say now; undefined while that is not known. */
  readonly terms: () => CertificateTerms | undefined;
  /** Who asks; told whether the certificate at hand is still good. Throws when nobody can. */
  readonly client: (valid: boolean) => Client;
  readonly expirationSeconds?: number | undefined;
  /** A credential to be used from now on, the stored one at the start included. It is on disk already. */
  readonly onCredential: (credential: Credential) => void;
  readonly onChange: () => void;
}

const RETRY = { first: seconds(1), most: minutes(5), jitter: 0.2 };
/** Timers stand still while a Mac sleeps and know nothing of a clock that is set; looking costs nothing. */
const LOOK_EVERY = minutes(60);

/** Keeps one certificate valid for as long as it runs. */
export class KeptCertificate {
  readonly #options: KeepOptions;
  readonly #rest: WakeableSleep;
  #held: { readonly credential: Credential; readonly renewAt: number } | undefined;
  /** Gives up the request under way. */
  #attempt: AbortController | undefined;
  /** The terms last looked at. */
  #terms: string | undefined;
  #waitingFor: string | undefined;
  #trouble: CertificateTrouble | undefined;

  constructor(options: KeepOptions) {
    this.#options = options;
    this.#rest = createWakeableSleep(options.clock);
  }

  get view(): CertificateView {
    return { valid: this.#valid, waitingFor: this.#waitingFor, trouble: this.#trouble };
  }

  /**
   * What it must say may have changed: a request for something else is given up. The same terms wake nobody: the condition
   * that tells of a refusal is itself a report that leads here, and would cut every back-off short.
   */
  recheck(): void {
    if (JSON.stringify(this.#options.terms()) === this.#terms) return;
    this.#attempt?.abort(OTHER_TERMS);
    this.#rest.wake();
  }

  /** The cluster does not know it. It stays on disk until there is another one. */
  distrust(): void {
    this.#held = undefined;
    this.#rest.wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, store, terms: wanted } = this.#options;
    const backOff = createBackOff(RETRY, clock);
    const stored = await store.read();
    if (stored) this.#hold(stored);
    while (!signal.aborted) {
      const terms = wanted();
      this.#terms = JSON.stringify(terms);
      if (!terms || !this.#due(terms)) {
        this.#tell({});
        await this.#rest.sleep(untilRenewal(this.#held?.renewAt, clock.now()), signal);
      } else if (await this.#pass(terms, signal)) backOff.reset();
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

  /** False: it came to nothing, and the next try must wait. */
  async #pass(terms: CertificateTerms, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#renew(terms, signal);
      return true;
    } catch (error) {
      if (signal.aborted || error === OTHER_TERMS) return true;
      this.#options.log.warn(errorFields(error), 'No certificate');
      // What was refused once is refused again under the same name; what was only lost is asked for again.
      if (isVerdict(error)) await this.#options.store.discardNextKey();
      this.#tell({ trouble: troubleOf(error) });
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
        onWaiting: name => this.#tell({ waitingFor: name, trouble: this.#trouble }),
      });
      await store.keep(credential);
      this.#hold(credential, clock.now());
    } finally {
      this.#attempt = undefined;
    }
  }

  #hold(credential: Credential, issuedAt?: number): void {
    const { clock, onCredential } = this.#options;
    this.#held = { credential, renewAt: renewalTime(certificateOf(credential), clock.random(), issuedAt) };
    onCredential(credential);
    this.#tell({});
  }

  #tell({ waitingFor, trouble }: Pick<CertificateView, 'waitingFor' | 'trouble'>): void {
    this.#waitingFor = waitingFor;
    this.#trouble = trouble;
    this.#options.onChange();
  }
}

const OTHER_TERMS = new Error('the wanted names have changed');

const untilRenewal = (renewAt: number | undefined, now: number) =>
  milliseconds(Math.min(LOOK_EVERY, Math.max(1_000, (renewAt ?? Number.POSITIVE_INFINITY) - now)));

const isVerdict = (error: unknown): boolean =>
  error instanceof CataloguedError &&
  error.code.startsWith('CERTIFICATE_') &&
  error.code !== CERTIFICATE_REQUEST_GONE.code;

const troubleOf = (error: unknown): CertificateTrouble => ({
  reason: error instanceof CataloguedError ? error.reason : 'CertificateRequestNotSent',
  message: messageOf(error),
});

/** How it stands with one of our certificates. */
interface CertificateView {
  /** Valid now. */
  readonly valid: boolean;
  /** The request somebody has to approve. */
  readonly waitingFor?: string | undefined;
  /** Why the last try came to nothing; gone with the next success. */
  readonly trouble?: CertificateTrouble | undefined;
}

export interface CertificateTrouble {
  readonly reason: string;
  readonly message: string;
}

/** The condition CertificatesReady. A renewal that fails is told while there is still time. */
export function certificateFinding(client: CertificateView, serving: CertificateView): Finding {
  for (const [which, view] of [
    ['client', client],
    ['serving', serving],
  ] as const) {
    if (view.valid) continue;
    if (view.trouble) return fails(view.trouble.reason, `no ${which} certificate: ${view.trouble.message}`);
    if (view.waitingFor)
      return fails('WaitingForApproval', `no ${which} certificate: ${view.waitingFor} waits for approval`);
    return fails('NoCertificate', `no ${which} certificate yet`);
  }
  const trouble = client.trouble ?? serving.trouble;
  if (trouble) return holds('RenewalFails', `certificates are valid, but cannot be renewed: ${trouble.message}`);
  return holds('CertificatesValid', 'client and serving certificate are valid');
}
