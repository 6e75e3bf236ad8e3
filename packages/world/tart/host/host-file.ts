import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, seconds } from '@minifleet/clock';
import type { Chance } from '../../chance.ts';
import type { Fault, FaultPlan, FaultPoint } from '../../faults/fault-plan.ts';
import { createJournal, type Journal } from '../../journal.ts';

/**
 * `host.json` in the directory of TART_WORLD: properties of this Mac. Everything is optional; by default everything
 * works without delay. Times are seconds of the world's clock.
 */
export interface HostFile {
  /** Makes random numbers repeatable. */
  readonly seed?: string;
  /** World seconds per real second. */
  readonly speed?: number;
  /** True if the user is logged in at the screen. Otherwise: VZErrorDomain Code=-9. */
  readonly gui?: boolean;
  /** A locked login keychain: VZErrorDomain Code=1 for `run`, and no credentials for `login`, `pull` and `push`. */
  readonly keychainLocked?: boolean;
  /** Number of macOS guests the kernel allows at a time, for all users (default: 2). */
  readonly macosGuests?: number;
  /** Guests of other tools that count towards the limit. */
  readonly foreignGuests?: number;
  readonly network?: NetworkOptions;
  /** Registry host → base URL, so that `ghcr.io` is found on loopback. */
  readonly registries?: Readonly<Record<string, string>>;
  readonly disk?: { readonly freeBytes?: number };
  readonly pull?: { readonly bytesPerSecond?: number };
  readonly push?: PushOptions;
  readonly guests?: {
    readonly default?: GuestBehaviour;
    /** By image repository or full name, as pulled. */
    readonly byImage?: Readonly<Record<string, GuestBehaviour>>;
    /** By VM name; takes precedence. */
    readonly byName?: Readonly<Record<string, GuestBehaviour>>;
  };
  /** Tried in order against `tart <argv…>` (`command`) and `GET <url>` (`request`). */
  readonly faults?: readonly HostFault[];
  /** VMs whose lock `list`, `get` and `stop` do not see (facts 2.10). */
  readonly lockLies?: readonly string[];
}

interface PushOptions {
  readonly configSeconds?: number;
  readonly diskSeconds?: number;
  readonly nvramSeconds?: number;
  /** A push that reaches this part waits there while this is set. */
  readonly holds?: 'config' | 'disk' | 'nvram';
}

interface NetworkOptions {
  readonly leaseFile?: string;
  /** Addresses are assigned from `<prefix>.<first>` to `<prefix>.<last>`. */
  readonly prefix?: string;
  readonly first?: number;
  readonly last?: number;
  /** `DHCPLeaseTimeSecs` of the host (default: 86 400). */
  readonly leaseSeconds?: number;
}

/** Behaviour of a guest. */
export interface GuestBehaviour {
  readonly bootSeconds?: number;
  /** After the boot. */
  readonly addressAfterSeconds?: number;
  /** A program started when the guest has booted, like a launch agent of the image. */
  readonly runs?: readonly string[];
  /** The same as text for `/bin/sh -c`. */
  readonly script?: string;
  /** Action when that program exits. */
  readonly afterwards?: 'halt' | 'stay' | 'crash';
  readonly haltsAfterSeconds?: number;
  readonly crashesAfterSeconds?: number;
  readonly crash?: string;
  readonly losesNetworkAfterSeconds?: number;
  /** The guest does not respond: commands neither start nor end, the power button has no effect. */
  readonly hangs?: boolean;
  /** `tart stop` has to wait for its timeout and kill. */
  readonly ignoresStop?: boolean;
  readonly agent?: 'present' | 'missing';
  /** After the boot. */
  readonly agentAfterSeconds?: number;
  /** The guest takes this address even if another guest has it. */
  readonly address?: string;
  readonly startFailure?: 'failed to start' | 'auxiliary storage';
  readonly diskUsedPercent?: number;
  /** Text files created in the guest at each boot, by path from its root. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface HostFault {
  readonly kind: 'command' | 'request';
  /** A regular expression. */
  readonly matches: string;
  readonly times?: number;
  readonly probability?: number;
  readonly fault:
    | { readonly type: 'delay'; readonly seconds: number }
    | { readonly type: 'hang' }
    | { readonly type: 'drop'; readonly when: 'before' | 'during' | 'after' }
    | { readonly type: 'fail'; readonly code: number; readonly message: string };
}

export const GIB = 1024 ** 3;
export const GB = 1e9;

/**
 * A journal shared by many processes: one JSON line per entry in `journal.jsonl`. Times are since the epoch, because no
 * single process saw the start of the world.
 */
export function fileJournal(directory: string | undefined, clock: Clock): Journal {
  const memory = createJournal(clock);
  const write = (place: string, what: string, detail: string): void => {
    if (directory === undefined) return;
    const line = JSON.stringify({ at: clock.now(), place, what, detail });
    appendFileSync(join(directory, 'journal.jsonl'), `${line}\n`);
  };
  return {
    entries: memory.entries,
    gaps: memory.gaps,
    add(place, what, detail) {
      memory.add(place, what, detail);
      write(place, what, detail);
    },
    unmodelled(place, detail) {
      memory.unmodelled(place, detail);
      write(place, 'not modelled', detail);
    },
  };
}

/**
 * Without the file, everything works without delay. A half-written file is read again at the next call; this call keeps
 * the last content.
 */
export function hostReader(directory: string): () => HostFile {
  let last: HostFile = {};
  return () => {
    try {
      last = JSON.parse(readFileSync(join(directory, 'host.json'), 'utf8')) as HostFile;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') last = {};
    }
    return last;
  };
}

/** The name takes precedence over the image (full name first, then repository), and both over the default. */
export function behaviourOf(host: HostFile, name: string, image: string | undefined): GuestBehaviour {
  const byImage = host.guests?.byImage ?? {};
  const repository = image?.replace(/(@sha256:[0-9a-f]+|:[^/:]+)$/, '');
  return {
    ...host.guests?.default,
    ...(repository === undefined ? {} : byImage[repository]),
    ...(image === undefined ? {} : byImage[image]),
    ...host.guests?.byName?.[name],
  };
}

interface HostFaultOptions {
  readonly directory: string | undefined;
  readonly chance: Chance;
  readonly host: () => HostFile;
}

/**
 * The fault plan of `host.json`. Each call of tart is a separate process, so a strike is counted by a file that only
 * one process can create.
 */
export function hostFaults({ directory, chance, host }: HostFaultOptions): FaultPlan {
  return {
    add: () => undefined,
    clear: () => undefined,
    strike(point) {
      for (const [index, rule] of (host().faults ?? []).entries()) {
        if (!fits(rule, point) || chance.next() >= (rule.probability ?? 1)) continue;
        if (rule.times === undefined || claim(directory, `${index}`, rule.times)) return faultOf(rule);
      }
      return undefined;
    },
  };
}

const fits = (rule: HostFault, point: FaultPoint): boolean =>
  rule.kind === point.kind && new RegExp(rule.matches).test(point.detail);

function claim(directory: string | undefined, rule: string, times: number): boolean {
  if (directory === undefined) return true;
  mkdirSync(join(directory, 'strikes'), { recursive: true });
  for (let strike = 0; strike < times; strike++) {
    try {
      closeSync(openSync(join(directory, 'strikes', `${rule}.${strike}`), 'wx'));
      return true;
    } catch {
      // Another call has used up this strike.
    }
  }
  return false;
}

const faultOf = (rule: HostFault): Fault =>
  rule.fault.type === 'delay' ? { type: 'delay', by: seconds(rule.fault.seconds) } : rule.fault;
