import type { Clock } from '@minifleet/clock';
import type { RegistryCredentials, Tart } from '../guests/tart.ts';
import { isTartError } from '../guests/tart-error.ts';
import { watchForStall } from './stall-watch.ts';

export interface PullImageOptions {
  readonly tart: Pick<Tart, 'pull'>;
  readonly clock: Clock;
  /** Absent when nothing may be removed on this host: a full disk then fails the pull at once. */
  readonly makeRoom?: (() => Promise<unknown>) | undefined;
}

export interface PullWanted {
  readonly reference: string;
  /** Tried in turn; none means without a name. */
  readonly credentials: readonly RegistryCredentials[];
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

/** Pulls; a full disk is cleaned up once and the pull tried once more (B5). The second failure is the answer. */
export async function pullImage(options: PullImageOptions, wanted: PullWanted): Promise<void> {
  try {
    await pullWithSomeCredentials(options, wanted);
  } catch (error) {
    if (!isTartError(error, 'no space') || !options.makeRoom) throw error;
    wanted.onLine('no space left, cleaning up once');
    await options.makeRoom();
    await pullWithSomeCredentials(options, wanted);
  }
}

/** The next pair is tried only when the registry refuses one: any other failure would be the same with the next. */
async function pullWithSomeCredentials(options: PullImageOptions, wanted: PullWanted): Promise<void> {
  const [first, ...others] = wanted.credentials;
  try {
    await pullOnce(options, wanted, first);
  } catch (error) {
    if (!isTartError(error, 'not allowed') || others.length === 0) throw error;
    await pullWithSomeCredentials(options, { ...wanted, credentials: others });
  }
}

async function pullOnce(
  { tart, clock }: PullImageOptions,
  { reference, signal, onLine }: PullWanted,
  credentials: RegistryCredentials | undefined,
): Promise<void> {
  const stall = watchForStall(clock);
  const onProgress = (line: string): void => {
    stall.heard(line);
    onLine(line);
  };
  try {
    await tart.pull(reference, { credentials, signal: AbortSignal.any([signal, stall.signal]), onProgress });
  } catch (error) {
    stall.signal.throwIfAborted();
    throw error;
  } finally {
    stall.stop();
  }
}
