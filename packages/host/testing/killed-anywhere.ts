/** Interrupts a caller, its connection or its host at every command of a plan, and runs the plan again with the next callers. */
import { isDeepStrictEqual } from 'node:util';
import { milliseconds, minutes, seconds } from '@minifleet/clock';
import { converge } from '../engine/converge.ts';
import { inspectPlan } from '../engine/inspect.ts';
import { LEASE_STALE_AFTER } from '../engine/lease.ts';
import { LEDGER_PATH, parseLedger } from '../engine/ledger.ts';
import type { Plan } from '../engine/plan.ts';
import type { ConvergeOptions, ConvergeReport } from '../engine/report.ts';
import { openHost } from '../open-host.ts';
import {
  type InterruptingTransport,
  type Interruption,
  interruptingTransport,
  interruptions,
} from './interrupting-transport.ts';
import { passTime, type TestHost } from './test-host.ts';

export interface KilledAnywhere {
  /** A new host each time, always in the same state. */
  readonly makeHost: () => TestHost | Promise<TestHost>;
  readonly plan: Plan;
  readonly options?: Partial<ConvergeOptions>;
  /** Ways to kill (default: all). */
  readonly ways?: readonly Interruption[];
  /** Selects the commands to kill at, and the way (default: every command in all ways). */
  readonly at?: (kill: Pick<KilledRow, 'command' | 'step' | 'how'>) => boolean;
  /** State that must be equal at the end of every run. */
  readonly endState?: (given: TestHost) => unknown;
}

export interface KilledRow {
  /** Step that sent the command; `(engine)` for the inspection, the lease and the ledger between steps. */
  readonly step: string;
  readonly command: number;
  readonly how: Interruption;
  /** Outcome of the first caller, with the error code. */
  readonly first: string;
  readonly resumed: string;
  readonly changesInThirdRun: number;
  /** True if the ledger had no false entry, neither after the first caller nor at the end. */
  readonly ledgerTruthful: boolean;
  readonly sameEnd: boolean;
}

const BETWEEN = '(engine)';
const MOST_RESUMPTIONS = 12;

/** Returns one row for every command and every interruption. A failed recovery is in its row and does not throw. */
export async function killedAnywhere(given: KilledAnywhere): Promise<KilledRow[]> {
  const clean = await cleanRun(given);
  const rows: KilledRow[] = [];
  for (const [index, step] of clean.steps.entries()) {
    const command = index + 1;
    const ways = (given.ways ?? interruptions).filter(how => given.at?.({ command, step, how }) ?? true);
    for (const how of ways) rows.push(await killedAt(given, { command, how, step, end: clean.end }));
  }
  return rows;
}

/** Step of each command in a run without interruptions. */
export async function cleanRun(given: KilledAnywhere): Promise<{ readonly steps: string[]; readonly end: unknown }> {
  const test = await given.makeHost();
  const steps: string[] = [];
  let currentStep = BETWEEN;
  const interrupting = interruptingTransport(test, {
    command: 0,
    how: 'lost before',
    onCommand: () => steps.push(currentStep),
  });
  const report = await passTime(
    test.clock,
    call(given, test, {
      interrupting,
      onEntry: ({ kind, step }) => {
        currentStep = (kind === 'changing' || kind === 'settling') && step !== undefined ? step : BETWEEN;
      },
    }),
  );
  if (report.outcome !== 'converged')
    throw new Error(`the clean run ended ${wordsOf(report)}: ${report.error?.message}`);
  return { steps, end: await given.endState?.(test) };
}

interface KillPoint {
  readonly command: number;
  readonly how: Interruption;
  readonly step: string;
  readonly end: unknown;
}

async function killedAt(given: KilledAnywhere, { command, how, step, end }: KillPoint): Promise<KilledRow> {
  const test = await given.makeHost();
  const first = await firstCaller(given, test, { command, how });
  const honest = await ledgerIsTrue(test, given.plan);
  const resumed = await resume(given, test);
  const third = await passTime(test.clock, call(given, test));
  const ledger = ledgerOf(test);
  if (test.journal.gaps.length > 0) throw new Error(`not modelled: ${JSON.stringify(test.journal.gaps)}`);
  return {
    step,
    command,
    how,
    first,
    resumed: wordsOf(resumed),
    changesInThirdRun: third.changes,
    ledgerTruthful: honest && ledger?.converged === true && ledger.plan === given.plan.fingerprint,
    sameEnd: isDeepStrictEqual(await given.endState?.(test), end),
  };
}

/** Runs the first caller. A killed one returns nothing, and its lease has expired by then. */
async function firstCaller(
  given: KilledAnywhere,
  test: TestHost,
  where: Pick<KillPoint, 'command' | 'how'>,
): Promise<string> {
  const interrupting = interruptingTransport(test, where);
  const work = call(given, test, { interrupting });
  if (where.how !== 'caller killed') return passTime(test.clock, work.then(wordsOf));
  const ended = await passTime(
    test.clock,
    Promise.race([work.then(wordsOf), interrupting.killed.then(() => 'killed')]),
  );
  await test.clock.advance(milliseconds(LEASE_STALE_AFTER + seconds(5)));
  return ended;
}

/** Retries like any caller, as long as the report asks to wait for the lease or the host. */
async function resume(given: KilledAnywhere, test: TestHost): Promise<ConvergeReport> {
  // A host that went down is up by then.
  await test.clock.advance(minutes(1));
  let report = await passTime(test.clock, call(given, test));
  for (let again = 0; again < MOST_RESUMPTIONS && waitsFor(report); again++) {
    await test.clock.advance(milliseconds(Math.max(0, (report.nextAttempt ?? 0) - test.clock.now())));
    report = await passTime(test.clock, call(given, test));
  }
  return report;
}

const waitsFor = ({ error }: ConvergeReport): boolean =>
  error?.code === 'HOST_BUSY' || error?.code === 'HOST_UNREACHABLE';

interface PlanCallOptions extends Pick<ConvergeOptions, 'onEntry'> {
  readonly interrupting?: InterruptingTransport;
}

function call(
  given: KilledAnywhere,
  test: TestHost,
  { interrupting, onEntry }: PlanCallOptions = {},
): Promise<ConvergeReport> {
  const { clock, redactor } = test;
  const transport = interrupting?.transport ?? test.transport;
  const host = openHost({ transport, user: test.host.user, clock, redactor });
  const holder = interrupting ? 'the first caller' : 'another caller';
  const options = { holder, allow: 'running VMs', reboot: 'when needed', redactor, onEntry } as const;
  return converge(host, given.plan, { ...options, ...given.options });
}

const wordsOf = ({ outcome, error }: ConvergeReport): string => (error ? `${outcome} ${error.code}` : outcome);

const ledgerOf = ({ mac, root }: TestHost) =>
  mac.files.exists(root, LEDGER_PATH) ? parseLedger(mac.files.read(root, LEDGER_PATH).toString()) : undefined;

/** Checks that steps which the ledger calls current are current; others may have become so since. */
async function ledgerIsTrue(test: TestHost, plan: Plan): Promise<boolean> {
  const ledger = ledgerOf(test);
  if (!ledger || !test.mac.running) return true;
  const reports = await passTime(test.clock, inspectPlan(test.host, plan));
  return reports.every(({ id, fingerprint, state }) => {
    const line = ledger.steps[id];
    return line?.state !== 'current' || line.fingerprint !== fingerprint || state === 'current';
  });
}
