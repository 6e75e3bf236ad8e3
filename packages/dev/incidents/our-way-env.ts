import type { Clock } from '@minifleet/clock';
import { createRedactor, type Host, openHost, type PlannedStep } from '@minifleet/host';
import { type ConvergedStep, convergeStep, type Finding, macTransport } from '@minifleet/host/testing';
import { allowed, m1, translation } from '@minifleet/world/mac';
import type { OldWay, OurWay } from './incident.ts';
import { type MacShell, type OldWayEnv, openOldWayEnv } from './old-way-env.ts';

/** One Mac that the operators' procedure and the engine both work on. */
export interface OurWayEnv {
  readonly host: Host;
  readonly clock: Clock;
  readonly mac: MacShell;
  /** Runs the original procedure on this Mac. The state it leaves is the starting point. */
  readonly oldWay: () => Promise<string>;
  /** Returns a second, unmodified Mac. */
  readonly another: () => Promise<OurWayEnv>;
  /** Applies one step as the engine does. */
  readonly converge: (step: PlannedStep) => Promise<ConvergedStep>;
  /** Journal of the world, oldest first: `pf flush`, `command` and others. */
  readonly journal: () => readonly { readonly what: string; readonly detail: string }[];
  /** From now on launchd accepts a kickstart and ignores it, this many times (default: always). */
  readonly ignoreKickstart: (times?: number) => void;
  /** Network packets of a guest VM. */
  readonly guest: {
    readonly reaches: (address: string, port: number, inOn?: string) => boolean;
    /** True if its packets leave with the host's address. */
    readonly isTranslated: (address: string) => boolean;
  };
}

interface OpenedEnv extends OurWayEnv {
  /** Requests that the world does not model. */
  readonly gaps: () => readonly string[];
  close(): Promise<void>;
}

const GUEST = '192.168.64.5';

export async function openOurWayEnv(oldWay: OldWay, options: OurWay['mac'] = {}): Promise<OpenedEnv> {
  const env = await openOldWayEnv();
  return {
    ...(await openOnMac(env, oldWay, options)),
    gaps: () => env.surroundings.journal.gaps.map(({ detail }) => detail),
    close: () => env.close(),
  };
}

async function openOnMac(env: OldWayEnv, oldWay: OldWay, options: OurWay['mac']): Promise<OurWayEnv> {
  const mac = await env.mac(options);
  const { clock, journal, faults } = env.surroundings;
  const host = openHost({ transport: macTransport(mac.mac), user: m1.name, clock, redactor: createRedactor() });
  return {
    host,
    clock,
    mac,
    async oldWay() {
      const output = await oldWay.run({ ...env, mac: async () => mac });
      // A result on a Mac without the failure would prove nothing.
      if (!oldWay.symptom.test(output)) throw new Error(`the original procedure did not fail: ${output}`);
      return output;
    },
    another: () => openOnMac(env, oldWay, options),
    converge: step => env.during(convergeStep(host, step)),
    journal: () => journal.entries,
    ignoreKickstart(times) {
      const detail = /^kickstart /;
      const limit = times === undefined ? {} : { times };
      faults.add({ kind: 'process', detail, fault: { type: 'drop', when: 'before' }, ...limit });
    },
    guest: {
      reaches: (address, port, inOn) =>
        allowed(mac.mac, { from: GUEST, to: address, port, ...(inOn === undefined ? {} : { inOn }) }),
      isTranslated: address => translation(mac.mac, { from: GUEST, to: address }) !== undefined,
    },
  };
}

export const describeFinding = (finding: Finding): string =>
  finding.state === 'current' ? 'nothing' : finding.differences.join(', ');

export const findDifferences = async ({ host }: OurWayEnv, step: PlannedStep): Promise<string> =>
  describeFinding(await step.inspect(host));

/** Applies the steps. Returns `converged`, the remaining differences, or the error with its code. */
export async function convergeAll(env: OurWayEnv, ...steps: readonly PlannedStep[]): Promise<string> {
  try {
    for (const step of steps) {
      const { after } = await env.converge(step);
      if (after.state === 'drift') return describeFinding(after);
    }
    return 'converged';
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : 'an error without a message';
  }
}

/** `0 of 12 traces`: how many of the texts contain the secret. */
export const countLeaks = (secret: string, texts: readonly string[]): string =>
  `${texts.filter(text => text.includes(secret)).length} of ${texts.length} traces`;

/** The journal entries since an index, as text. */
export const journalSince = (env: OurWayEnv, start: number): readonly string[] =>
  env
    .journal()
    .slice(start)
    .map(({ what, detail }) => `${what} ${detail}`);
