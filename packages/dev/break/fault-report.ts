import type { Paint } from '@minifleet/cli/terminal';
import { milliseconds, pause } from '@minifleet/clock';
import type { FaultTarget } from '../incidents/fault-target.ts';
import { conditionOf } from '../incidents/fixtures/host-condition.ts';
import type { FaultOutcome, InjectedFault, LiveFault } from '../incidents/incident.ts';

/** One line of the report about a fault. */
export type FaultReport =
  | {
      readonly injected: {
        readonly id: string;
        readonly host: string;
        readonly action: string;
        readonly expected: string;
      };
    }
  | OutcomeReport
  | { readonly reverted: { readonly id: string; readonly host: string } }
  | { readonly failed: string };

type OutcomeReport =
  | { readonly outcome: FaultOutcome; readonly seconds: number }
  | { readonly missing: string; readonly seconds: number; readonly state: string };

const POLL_INTERVAL = milliseconds(500);

/** Polls until the required reaction is observed or its time limit has passed. */
export async function awaitOutcome(
  { clock, machine }: Pick<FaultTarget, 'clock' | 'machine'>,
  { within, expected }: Pick<LiveFault, 'within' | 'expected'>,
  { check, describeState = () => describeMachine(machine) }: Pick<InjectedFault, 'check' | 'describeState'>,
): Promise<OutcomeReport> {
  const started = clock.now();
  const elapsed = (): number => (clock.now() - started) / 1_000;
  while (clock.now() - started < within) {
    const outcome = await check();
    if (outcome) return { outcome, seconds: elapsed() };
    await pause(clock, POLL_INTERVAL);
  }
  return { missing: expected, seconds: elapsed(), state: await describeState() };
}

async function describeMachine(machine: FaultTarget['machine']): Promise<string> {
  const ready = conditionOf(await machine(), 'Ready');
  return ready ? `machine Ready=${ready.status}: ${ready.message || ready.reason}` : 'the machine is gone';
}

export function describeReport(line: FaultReport, paint: Paint): string {
  if ('injected' in line) {
    const { id, host, action, expected } = line.injected;
    return `${paint.bad('!')} ${id} on ${host}: ${action}\n  expected: ${expected}\n`;
  }
  if ('missing' in line) {
    return `${paint.bad('✗')} not observed within ${line.seconds.toFixed(0)} s: ${line.missing}; ${line.state}\n`;
  }
  if ('reverted' in line) return `${paint.good('✓')} ${line.reverted.host}: ${line.reverted.id} reverted\n`;
  if ('failed' in line) return `${paint.bad('✗')} ${line.failed}\n`;
  const [kind, text] = Object.entries(line.outcome)[0] ?? [];
  return `${paint.good('✓')} ${kind} after ${line.seconds.toFixed(1)} s: ${text}\n`;
}
