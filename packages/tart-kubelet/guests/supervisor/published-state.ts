import type { Clock } from '@minifleet/clock';
import { type OnDurableWrite, writeUntilItFits } from '../../durable/write-durably.ts';
import type { GuestScreen, GuestState } from '../guest.ts';
import { writeScreen } from '../record.ts';

interface StateWithScreenOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly onDurableWrite?: OnDurableWrite | undefined;
  readonly publish: (state: GuestState) => void;
}

/** The guest's state as the agent is told it: with its screen as soon as that is on the disk, in whichever order the two come. */
interface StateWithScreen {
  readonly become: (state: GuestState) => void;
  /** The first counts. Password and place go to the disk, the agent is told only that they are there. */
  readonly serve: (screen: GuestScreen) => Promise<void>;
}

export function stateWithScreen(options: StateWithScreenOptions): StateWithScreen {
  const { directory, clock, onDurableWrite, publish } = options;
  let state: GuestState | undefined;
  let known = false;
  let kept = false;
  const tell = (next: GuestState): void => {
    state = next;
    publish(next.phase === 'running' && kept ? { ...next, screen: true } : next);
  };
  return {
    become: tell,
    async serve(screen) {
      if (known) return;
      known = true;
      const write = (): Promise<void> => writeScreen(directory, screen, { onDurableWrite });
      kept = await writeUntilItFits({ directory, clock, write });
      if (state?.phase === 'running') tell(state);
    },
  };
}
