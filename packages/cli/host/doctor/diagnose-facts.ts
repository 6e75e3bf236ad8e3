import { formatDuration, seconds } from '@minifleet/clock';
import { FILE_VAULT_OFF, LEASE_STALE_AFTER } from '@minifleet/host';
import { type Diagnosis, healthy, problem, unknown } from '../../diagnosis/diagnosis.ts';
import { formatBytes, formatSkew } from '../facts/facts-view.ts';
import type { InspectedFacts } from '../facts/read-facts.ts';

/** Commands for this host to copy: `minifleet host converge m1@203.0.113.7 -f host.yaml`. */
export interface SuggestedCommands {
  readonly user: string;
  readonly prepare: string;
  readonly converge: string;
}

// A macOS image takes about 85 GB, and a pull also needs room for the layers of the next image.
const LITTLE_SPACE = 30_000_000_000;
// Certificates and tokens are checked to the minute.
const MAX_SKEW = seconds(30);

/** Checks the facts of a host. */
export function diagnoseFacts(facts: InspectedFacts, commands: SuggestedCommands): Diagnosis[] {
  return [
    diagnoseSudo(facts, commands),
    ...diagnoseScreen(facts, commands),
    diagnoseDisk(facts),
    diagnoseFileVault(facts),
    diagnoseClock(facts),
    diagnoseLease(facts),
    diagnoseLedger(facts, commands),
  ];
}

const diagnoseSudo = ({ sudo }: InspectedFacts, { user, prepare }: SuggestedCommands): Diagnosis =>
  sudo
    ? healthy('sudo', 'passwordless')
    : problem('sudo', `${user} needs a password for sudo; the host cannot be changed`, prepare);

function diagnoseScreen({ screen }: InspectedFacts, { user, prepare, converge }: SuggestedCommands): Diagnosis[] {
  if (screen === undefined) {
    return ['login session', 'auto-login password'].map(check => unknown(check, 'cannot be inspected without sudo'));
  }
  const { session, loginWindowRuns, sealed } = screen;
  const missing = loginWindowRuns ? 'VMs cannot start' : 'the login window is not running';
  return [
    session
      ? healthy('login session', `${user} has a GUI session`)
      : problem('login session', `${user} has no GUI session; ${missing}`, `${converge} --only auto-login`),
    sealed
      ? problem('auto-login password', 'sealed; the login window rejected the stored password', prepare)
      : healthy('auto-login password', 'not sealed'),
  ];
}

function diagnoseDisk({ disk }: InspectedFacts): Diagnosis {
  if (disk === undefined) return unknown('disk space', 'output of df not recognized');
  const message = `${formatBytes(disk.freeBytes)} of ${formatBytes(disk.totalBytes)} free`;
  if (disk.freeBytes >= LITTLE_SPACE) return healthy('disk space', message);
  return problem('disk space', message, 'on the host: tart prune --entries caches --space-budget 50');
}

const diagnoseFileVault = ({ fileVault }: InspectedFacts): Diagnosis =>
  fileVault === FILE_VAULT_OFF
    ? healthy('FileVault', 'off')
    : problem(
        'FileVault',
        `${fileVault} A reboot stops at the unlock screen until a person comes`,
        'on the host: sudo fdesetup disable',
      );

function diagnoseClock({ skew }: InspectedFacts): Diagnosis {
  if (skew === undefined) return unknown('clock', 'output of date not recognized');
  const wrong = skew.least > MAX_SKEW || skew.most + MAX_SKEW < 0;
  if (!wrong) return healthy('clock', formatSkew(skew));
  return problem('clock', formatSkew(skew), 'on the host: sudo sntp -sS time.apple.com');
}

function diagnoseLease({ lease }: InspectedFacts): Diagnosis {
  if (!lease?.held) return healthy('lease', 'free');
  const message = `held by ${lease.holder}, last renewed ${formatDuration(lease.silentFor)} ago`;
  return problem(
    'lease',
    message,
    `wait for the run to end; the lease expires ${formatDuration(LEASE_STALE_AFTER)} after its last renewal`,
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
