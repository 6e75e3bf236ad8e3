import { createHash } from 'node:crypto';
import { type Duration, formatDuration, minutes, seconds, type Timer } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { HOST_BUSY, HOST_COMMAND_FAILED, HOST_LEASE_LOST, HOST_SUDO_BROKEN, HOST_SUDO_NEEDED } from '../errors.ts';
import type { Host, HostCommandResult, HostView } from '../host.ts';
import { loadScript } from '../load-script.ts';
import { fileFailure } from '../script-failure.ts';

/** A lease that was not renewed for this long may be taken over. */
export const LEASE_STALE_AFTER: Duration = minutes(2);

/** Directory of the lease and the ledger on a host. */
export const STATE_FOLDER = '/var/db/minifleet';

const BUSY = 75;
const LOST = 76;
const LEDGER_UNWRITTEN = 77;

/** Maps the result of lease.sh to an error; undefined if the lease is as requested. */
function leaseError(address: string, ran: HostCommandResult): CataloguedError | undefined {
  const { exitCode, stdout, stderr } = ran;
  if (exitCode === 0 || exitCode === LEDGER_UNWRITTEN) return undefined;
  const holder = stdout.trim().split(' ').slice(1).join(' ') || 'another process';
  if (exitCode === LOST) return HOST_LEASE_LOST({ address, holder });
  if (exitCode === BUSY) return HOST_BUSY({ address, holder, lease: formatDuration(LEASE_STALE_AFTER) });
  const values = { command: 'lease', address, status: `exit code ${exitCode}`, output: lastLine(stderr) };
  return fileFailure({ path: STATE_FOLDER, address }, stderr) ?? HOST_COMMAND_FAILED(values);
}

/** True if another process holds the lease, so that there is nothing to release. */
export const isHeldByOther = ({ code }: CataloguedError): boolean =>
  code === HOST_BUSY.code || code === HOST_LEASE_LOST.code;

/** Note about a lease that was taken over from a holder that had not released it: `<seconds> <token> <holder>`. */
function takeoverNote({ stdout }: HostCommandResult): string | undefined {
  const [, silent, holder] = /^(\d+) \S+ (.*)/.exec(stdout) ?? [];
  if (silent === undefined) return undefined;
  return `${holder} did not renew its lease for ${formatDuration(seconds(Number(silent)))}; the lease was taken over`;
}

/** Message if the ledger could not be written. */
const ledgerWriteError = ({ exitCode, stderr }: HostCommandResult): string | undefined =>
  exitCode === LEDGER_UNWRITTEN ? `the ledger could not be written (${lastLine(stderr)})` : undefined;

const lastLine = (text: string): string => text.trim().split('\n').at(-1) || 'no output';

const RENEW_EVERY = seconds(30);

type LeaseAction = 'take' | 'renew' | 'release';

interface LeaseOptions {
  /** Name of the caller, shown to other callers. */
  readonly holder: string;
  /** Random and unique, because two callers may have the same name. */
  readonly token: string;
  /** Called as soon as another process has the lease. */
  readonly onLost: (error: CataloguedError) => void;
}

/** Exclusive right to change a host, renewed by a timer from acquisition until release. */
export class HostLease {
  readonly #host: Host;
  readonly #options: LeaseOptions;
  readonly #underWay = new Set<Promise<unknown>>();
  /** True once requested; the lease may be held even if the answer was lost. */
  #asked = false;
  #held = false;
  #timer: Timer | undefined;

  constructor(host: Host, options: LeaseOptions) {
    this.#host = host;
    this.#options = options;
  }

  get held(): boolean {
    return this.#held;
  }

  /**
   * Acquires or renews the lease; batched with queries it costs no extra round trip. Returns a note if the lease was
   * taken over from another holder. Without working sudo there is no lease; this is not an error here, because the sudo
   * step reports it.
   */
  async join(): Promise<string | undefined> {
    this.#asked = true;
    const ran = await this.#look(this.#held ? 'renew' : 'take').catch(ignoreMissingSudo);
    if (!ran) return undefined;
    this.#check(ran);
    if (this.#held) return undefined;
    this.#held = true;
    this.#keepAlive();
    return takeoverNote(ran);
  }

  /**
   * Renews or releases the lease and writes the ledger in one round trip. Returns a message if the ledger could not be
   * written.
   */
  async record(action: 'renew' | 'release', ledger: string): Promise<string | undefined> {
    if (action === 'release') await this.#quiet();
    const ran = await this.#run(action, ledger);
    this.#check(ran);
    if (action === 'release') this.#asked = this.#held = false;
    return ledgerWriteError(ran);
  }

  /** Releases the lease if this process holds it. */
  async release(): Promise<void> {
    await this.#quiet();
    if (this.#asked) await this.#run('release');
    this.#asked = this.#held = false;
  }

  /** Stops the renewals. */
  stop(): void {
    this.#timer?.cancel();
  }

  /** Waits for pending renewals: a renewal after the release would acquire the lease again. */
  async #quiet(): Promise<void> {
    this.stop();
    await Promise.allSettled(this.#underWay);
  }

  #keepAlive(): void {
    this.#timer = this.#host.clock.after(RENEW_EVERY, () => {
      this.#keepAlive();
      this.#look('renew')
        .then(ran => this.#check(ran))
        // An unreachable host is detected by the run itself; only a lost lease aborts it from here.
        .catch((error: unknown) => {
          if (error instanceof CataloguedError && isHeldByOther(error)) this.#options.onLost(error);
        });
    });
  }

  #look(action: LeaseAction): Promise<HostCommandResult> {
    const argv = ['/bin/sh', '-c', loadScript('lease'), 'lease', ...this.#words(action, 'none')] as const;
    return this.#watch(this.#host.query(argv, { root: true }));
  }

  /** Uses its own signal, so that an aborted caller can still write the ledger and release the lease for others. */
  #run(action: LeaseAction, ledger?: string): Promise<HostCommandResult> {
    const { signal } = new AbortController();
    const sha256 = ledger === undefined ? 'none' : createHash('sha256').update(ledger).digest('hex');
    return this.#watch(this.#host.script('lease', this.#words(action, sha256), { stdin: ledger ?? '', signal }));
  }

  #words(action: LeaseAction, ledger: string): readonly string[] {
    const { token, holder } = this.#options;
    return [action, token, holder, String(LEASE_STALE_AFTER / 1_000), ledger];
  }

  async #watch<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
    }
  }

  #check(ran: HostCommandResult): void {
    const error = leaseError(this.#host.address, ran);
    if (!error) return;
    if (isHeldByOther(error)) this.#asked = this.#held = false;
    throw error;
  }
}

const SUDO_ERRORS: readonly string[] = [HOST_SUDO_NEEDED.code, HOST_SUDO_BROKEN.code];

const ignoreMissingSudo = (error: unknown): undefined => {
  if (error instanceof CataloguedError && SUDO_ERRORS.includes(error.code)) return undefined;
  throw error;
};

/** Current or last holder of the lease. */
export interface LeaseStatus {
  readonly holder: string;
  /** True if it would block another caller. */
  readonly held: boolean;
  /** Time since the last renewal by the host's clock; very long if it was released. */
  readonly silentFor: Duration;
}

/** Reads the lease without root; undefined if there never was one. */
export async function readLease(host: HostView): Promise<LeaseStatus | undefined> {
  const { stdout } = await host.query(['/bin/sh', '-c', loadScript('show-lease'), 'show-lease']);
  return parseLease(stdout);
}

/** Input: the time, then `<last renewal> <number> <token> <holder>` per line. The highest number counts. */
export function parseLease(text: string): LeaseStatus | undefined {
  const [now = '', ...lines] = text.trim().split('\n');
  const [last] = lines
    .flatMap(line => {
      const [, sign, number, holder] = /^(\d+) (\d+) \S+ (.*)$/.exec(line) ?? [];
      return holder === undefined ? [] : [{ sign: Number(sign), number: Number(number), holder }];
    })
    .sort((one, other) => other.number - one.number);
  if (!last) return undefined;
  const silentFor = seconds(Number(now) - last.sign);
  return { holder: last.holder, held: silentFor <= LEASE_STALE_AFTER, silentFor };
}
