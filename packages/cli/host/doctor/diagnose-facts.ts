import { formatDuration, seconds } from '@minifleet/clock';
import { LEASE_STALE_AFTER } from '@minifleet/host';
import { type Diagnosis, healthy, problem, unknown } from '../../diagnosis/diagnosis.ts';
import { formatBytes, formatSkew } from '../facts/in-words.ts';
import type { InspectedFacts } from '../facts/read-facts.ts';

/** How commands about this host begin, to be typed as they stand: `minifleet host converge m1@203.0.113.7 -f host.yaml`. */
export interface SuggestedCommands {
  readonly user: string;
  readonly prepare: string;
  readonly converge: string;
}

// A macOS image takes some 85 GB, and a pull needs room for the next one's layers beside it.
const LITTLE_SPACE = 30_000_000_000;
// Certificates and tokens are checked to the minute.
const OUT_OF_STEP = seconds(30);

/** What a host says about itself, judged. */
export function diagnoseFacts(facts: InspectedFacts, commands: SuggestedCommands): Diagnosis[] {
  return [
    diagnoseSudo(facts, commands),
    ...diagnoseScreen(facts, commands),
    diagnoseDisk(facts),
    diagnoseClock(facts),
    diagnoseLease(facts),
    diagnoseLedger(facts, commands),
  ];
}

const diagnoseSudo = ({ sudo }: InspectedFacts, { user, prepare }: SuggestedCommands): Diagnosis =>
  sudo
    ? healthy('sudo', 'asks for no password')
    : problem('sudo', `asks ${user} for a password, so nothing can be changed there`, prepare);

function diagnoseScreen({ screen }: InspectedFacts, { user, prepare, converge }: SuggestedCommands): Diagnosis[] {
  if (screen === undefined) {
    return ['login session', 'auto-login password'].map(check => unknown(check, 'cannot be seen without sudo'));
  }
  const { session, loginWindowRuns, sealed } = screen;
  const missing = loginWindowRuns ? 'no VM can start there' : 'and the login window is not running';
  return [
    session
      ? healthy('login session', `${user} is logged in at the screen`)
      : problem('login session', `${user} has no session at the screen: ${missing}`, `${converge} --only auto-login`),
    sealed
      ? problem('auto-login password', 'sealed: the login window refused the password it was given', prepare)
      : healthy('auto-login password', 'not sealed'),
  ];
}

function diagnoseDisk({ disk }: InspectedFacts): Diagnosis {
  if (disk === undefined) return unknown('disk space', 'df gave no answer we know');
  const words = `${formatBytes(disk.freeBytes)} of ${formatBytes(disk.totalBytes)} are free`;
  if (disk.freeBytes >= LITTLE_SPACE) return healthy('disk space', words);
  return problem('disk space', words, 'on the host: tart prune --entries caches --space-budget 50');
}

function diagnoseClock({ skew }: InspectedFacts): Diagnosis {
  if (skew === undefined) return unknown('clock', 'date gave no answer we know');
  const wrong = skew.least > OUT_OF_STEP || skew.most + OUT_OF_STEP < 0;
  if (!wrong) return healthy('clock', formatSkew(skew));
  return problem('clock', formatSkew(skew), 'on the host: sudo sntp -sS time.apple.com');
}

function diagnoseLease({ lease }: InspectedFacts): Diagnosis {
  if (!lease?.held) return healthy('lease', 'nobody is changing the host');
  const words = `${lease.holder} is changing the host, last sign of life ${formatDuration(lease.silentFor)} ago`;
  return problem(
    'lease',
    words,
    `wait until it ends; it is free ${formatDuration(LEASE_STALE_AFTER)} after the last one`,
  );
}

function diagnoseLedger({ ledger }: InspectedFacts, { converge }: SuggestedCommands): Diagnosis {
  if (ledger === undefined) return unknown('last converge', 'no record on the host');
  const { holder, at, steps, plan } = ledger;
  const when = `by ${holder} at ${at}, plan ${plan.slice(0, 12)}`;
  const [failed] = Object.entries(steps).filter(([, { error }]) => error !== undefined);
  if (failed === undefined)
    return healthy('last converge', ledger.converged ? `converged ${when}` : `not finished, ${when}`);
  const [id, { error, attempts }] = failed;
  const tries = attempts === 1 ? '' : `, ${attempts} times in a row`;
  return problem('last converge', `${id} failed${tries} ${when}: ${error?.message} (${error?.code})`, converge);
}
