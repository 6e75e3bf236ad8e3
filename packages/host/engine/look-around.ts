import { pause } from '@minifleet/clock';
import { parseLedger, readLedgerText } from './ledger.ts';
import { atRest, lookAt } from './look-at.ts';
import type { Run } from './run.ts';
import { unlessAborted } from './unless-aborted.ts';

/**
 * One round trip: the lease, the ledger if nobody read it yet, and every step from `from` to before `to`. The lease is
 * asked for first, so the host answers for it first; yet it is heard last, so that a busy host is reported with what was
 * seen.
 */
export async function lookAround(run: Run, from = 0, to = run.tracks.length): Promise<void> {
  const tracks = run.tracks.slice(from, to);
  const lease = run.lease.join();
  lease.catch(() => undefined); // heard below
  const ledger = run.ledgerRead ? undefined : readLedgerText(run.host);
  const looking = Promise.all([
    lookAt(
      run.host,
      tracks.map(({ step }) => step),
    ),
    ledger,
  ]);
  const [looks, text] = await unlessAborted(looking, run.signal);
  tracks.forEach((track, index) => {
    track.look = looks[index];
    track.seenAfter = run.changes;
  });
  if (!run.ledgerRead) adoptLedger(run, text);
  const note = await unlessAborted(lease, run.signal);
  if (note !== undefined) run.notes.push(note);
}

/** The host's own count of failures, and a reboot in vain: for the same wanted value only, another starts afresh. */
function adoptLedger(run: Run, text: string | undefined): void {
  run.ledgerRead = true;
  if (text === undefined) return;
  run.ledger = parseLedger(text);
  if (!run.ledger) run.notes.push('the ledger could not be read and is written anew; its count of attempts is lost');
  for (const track of run.tracks) {
    const entry = run.ledger?.steps[track.step.id];
    if (entry?.fingerprint !== track.fingerprint) continue;
    track.attempts = Math.max(track.attempts, entry.attempts);
    track.rebootedInVain = entry.rebootedInVain === true;
  }
}

/**
 * A host that has just booted is not at rest: what a step may take to settle, it may take here. Only the first that
 * differs is waited for: what comes after it may need it, and would not come to rest by itself.
 */
export async function lookAfterBoot(run: Run): Promise<void> {
  const { clock } = run.host;
  const booted = clock.now();
  await lookAround(run);
  for (;;) {
    const settle = run.tracks.find(({ look }) => !atRest(look))?.step.settle;
    if (!settle || clock.now() >= booted + settle.within) return;
    await pause(clock, settle.every, run.signal);
    run.signal.throwIfAborted();
    await lookAround(run);
  }
}
