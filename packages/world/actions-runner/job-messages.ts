import { type Clock, pause, seconds } from '@minifleet/clock';
import type { ListenerDeps } from './listener.ts';
import { type RunnerApi, UnreachableError } from './runner-api.ts';

/** Messages of the service while a job runs. Polling for them is also the runner's heartbeat. */
interface JobMessages {
  readonly cancelled: AbortSignal;
  readonly released: AbortSignal;
  /** The job no longer belongs to this runner: its lease has expired. */
  readonly lost: AbortSignal;
  stop(): void;
}

const RETRY = seconds(10);

export function followJobMessages(deps: ListenerDeps, api: RunnerApi): JobMessages {
  const cancelled = new AbortController();
  const released = new AbortController();
  const lost = new AbortController();
  const over = new AbortController();
  const enough = AbortSignal.any([cancelled.signal, lost.signal, over.signal]);
  const hear = async (): Promise<void> => {
    const path = `news?released=${released.signal.aborted}`;
    const { status, body } = await api.request('GET', path, { signal: over.signal });
    if (body['released'] === true) released.abort();
    if (body['cancelled'] === true) cancelled.abort();
    if (status >= 400) lost.abort();
  };
  void until(enough, hear, deps.clock);
  return {
    cancelled: cancelled.signal,
    released: released.signal,
    lost: lost.signal,
    stop: () => over.abort(),
  };
}

async function until(enough: AbortSignal, hear: () => Promise<void>, clock: Clock): Promise<void> {
  while (!enough.aborted) {
    try {
      await hear();
    } catch (error) {
      if (enough.aborted) return;
      if (!(error instanceof UnreachableError)) throw error;
      await pause(clock, RETRY, enough);
    }
  }
}
