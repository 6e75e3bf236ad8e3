import type { Clock } from '@minifleet/clock';
import { type OnDurableWrite, retryWrite } from '../../durable/write-durably.ts';
import type { GuestScreen, GuestState } from '../guest.ts';
import { writeScreen } from '../record.ts';

interface StatePublisherOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly onDurableWrite?: OnDurableWrite | undefined;
  readonly publish: (state: GuestState) => void;
}

/**
 * Publishes the guest's state to the agent, including its screen once that is on disk, in whichever order the two
 * arrive.
 */
interface StatePublisher {
  readonly setState: (state: GuestState) => void;
  /** Only the first screen counts. Address and password go to disk; the agent learns only that they exist. */
  readonly setScreen: (screen: GuestScreen) => Promise<void>;
}

export function createStatePublisher(options: StatePublisherOptions): StatePublisher {
  const { directory, clock, onDurableWrite, publish } = options;
  let state: GuestState | undefined;
  let known = false;
  let kept = false;
  const publishState = (next: GuestState): void => {
    state = next;
    publish(next.phase === 'running' && kept ? { ...next, screen: true } : next);
  };
  return {
    setState: publishState,
    async setScreen(screen) {
      if (known) return;
      known = true;
      const write = (): Promise<void> => writeScreen(directory, screen, { onDurableWrite });
      kept = await retryWrite({ directory, clock, write });
      if (state?.phase === 'running') publishState(state);
    },
  };
}
