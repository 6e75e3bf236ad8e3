import { createHash } from 'node:crypto';
import { type Duration, formatDuration, minutes, seconds, type Timer } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { HOST_BUSY, HOST_COMMAND_FAILED, HOST_LEASE_LOST, HOST_SUDO_BROKEN, HOST_SUDO_NEEDED } from '../errors.ts';
import type { CommandResult, Host, HostView } from '../host.ts';
import { loadScript } from '../load-script.ts';
import { fileFailure } from '../script-failure.ts';

/** What `lease.sh` answers, and what that means. */

/** Without a sign of life for this long a lease may be taken over. */
export const LEASE_STALE_AFTER: Duration = minutes(2);

/** Where a host keeps who may change it, and what was done to it. */
export const STATE_FOLDER = '/var/db/minifleet';

const BUSY = 75;
const LOST = 76;
const LEDGER_UNWRITTEN = 77;

/** The error behind an answer, if the lease is not as it was asked for. */
function leaseError(address: string, ran: CommandResult): CataloguedError | undefined {
  const { exitCode, stdout, stderr } = ran;
  if (exitCode === 0 || exitCode === LEDGER_UNWRITTEN) return undefined;
  const holder = stdout.trim().split(' ').slice(1).join(' ') || 'another process';
  if (exitCode === LOST) return HOST_LEASE_LOST({ address, holder });
  if (exitCode === BUSY) return HOST_BUSY({ address, holder, lease: formatDuration(LEASE_STALE_AFTER) });
  const values = { command: 'lease', address, status: `exit code ${exitCode}`, output: lastLine(stderr) };
  return fileFailure({ path: STATE_FOLDER, address }, stderr) ?? HOST_COMMAND_FAILED(values);
}

/** Whether someone else has it: there is nothing left to let go of then. */
export const isHeldByOther = ({ code }: CataloguedError): boolean =>
  code === HOST_BUSY.code || code === HOST_LEASE_LOST.code;

/** Whose lease was taken over, if its holder had not let it go: `<seconds> <token> <holder>`. */
function takeoverNote({ stdout }: CommandResult): string | undefined {
  const [, silent, holder] = /^(\d+) \S+ (.*)/.exec(stdout) ?? [];
  if (silent === undefined) return undefined;
  return `${holder} did not renew its lease for ${formatDuration(seconds(Number(silent)))}; the lease was taken over`;
}

/** Why the ledger is not there, if it could not be written. */
const ledgerWriteError = ({ exitCode, stderr }: CommandResult): string | undefined =>
  exitCode === LEDGER_UNWRITTEN ? `the ledger could not be written (${lastLine(stderr)})` : undefined;

const lastLine = (text: string): string => text.trim().split('\n').at(-1) || 'no output';

const RENEW_EVERY = seconds(30);

type LeaseAction = 'take' | 'renew' | 'release';

interface LeaseOptions {
  /** Who we are, for people. */
  readonly holder: string;
  /** Unguessable and ours alone: two callers may have one name. */
  readonly token: string;
  /** Called at once when someone else has it. */
  readonly onLost: (error: CataloguedError) => void;
}

/** The right to change a host, kept alive by a timer from when it is taken until it is let go. */
export class HostLease {
  readonly #host: Host;
  readonly #options: LeaseOptions;
  readonly #underWay = new Set<Promise<unknown>>();
  /** Asked for and perhaps got, even if the answer was lost. */
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
   * Takes it, or makes sure that we still have it; asked together with looks it costs no round trip. Says whose was
   * given up on. As long as sudo asks for a password, or runs nothing, there is none to be had: that is no error here, its step tells.
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

  /** Makes sure that we have it and writes the ledger, in one round trip; says why if that could not be written. */
  async record(action: 'renew' | 'release', ledger: string): Promise<string | undefined> {
    if (action === 'release') await this.#quiet();
    const ran = await this.#run(action, ledger);
    this.#check(ran);
    if (action === 'release') this.#asked = this.#held = false;
    return ledgerWriteError(ran);
  }

  /** Lets it go; of what is not ours nothing is let go. */
  async release(): Promise<void> {
    await this.#quiet();
    if (this.#asked) await this.#run('release');
    this.#asked = this.#held = false;
  }

  /** No more signs of life from here. */
  stop(): void {
    this.#timer?.cancel();
  }

  /** A renewal that is under way must not come after the release: it would take the lease back. */
  async #quiet(): Promise<void> {
    this.stop();
    await Promise.allSettled(this.#underWay);
  }

  #keepAlive(): void {
    this.#timer = this.#host.clock.after(RENEW_EVERY, () => {
      this.#keepAlive();
      this.#look('renew')
        .then(ran => this.#check(ran))
        // A host that does not answer is found out by the work itself; only a lost lease stops it from here.
        .catch((error: unknown) => {
          if (error instanceof CataloguedError && isHeldByOther(error)) this.#options.onLost(error);
        });
    });
  }

  #look(action: LeaseAction): Promise<CommandResult> {
    const argv = ['/bin/sh', '-c', loadScript('lease'), 'lease', ...this.#words(action, 'none')] as const;
    return this.#watch(this.#host.query(argv, { root: true }));
  }

  /** Also for a caller who has stopped everything on this host: what is written down and let go, is so for the others. */
  #run(action: LeaseAction, ledger?: string): Promise<CommandResult> {
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

  #check(ran: CommandResult): void {
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

/** Who changes a host, or did last. */
export interface LeaseStatus {
  readonly holder: string;
  /** Whether it would keep another caller out. */
  readonly held: boolean;
  /** Since its last sign of life, by the host's clock; long ago if it was let go. */
  readonly silentFor: Duration;
}

/** The lease as anyone may read it; undefined when nobody ever had one. */
export async function readLease(host: HostView): Promise<LeaseStatus | undefined> {
  const { stdout } = await host.query(['/bin/sh', '-c', loadScript('show-lease'), 'show-lease']);
  return parseLease(stdout);
}

/** The time, then `<last sign of life> <number> <token> <holder>` a line: the highest number counts. */
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
