import { fileURLToPath } from 'node:url';
import { type Clock, milliseconds, pause, seconds } from '@minifleet/clock';
import type { World } from '@minifleet/world';
import type { Kubectl } from './kubectl.ts';

const EXAMPLE = fileURLToPath(new URL('../../../docs/examples/first-fleet.yaml', import.meta.url));
const ASK_AGAIN = milliseconds(250);
const DEADLINE = seconds(30);

export interface CreateFleetOptions {
  readonly kubectl: Kubectl;
  readonly clock: Clock;
  readonly world: Pick<World, 'sshKeyFile'>;
  readonly signal: AbortSignal;
}

/** The fleet of the example, with the key that the Macs of the pool were delivered with. */
export async function createFleet({ kubectl, clock, world, signal }: CreateFleetOptions): Promise<void> {
  const { sshKeyFile } = world;
  const files = [`--from-file=id_ed25519=${sshKeyFile}`, `--from-file=id_ed25519.pub=${sshKeyFile}.pub`];
  await kubectl('create', 'secret', 'generic', 'runners-ssh', '-n', 'default', ...files);
  const end = clock.now() + DEADLINE;
  for (;;) {
    try {
      await kubectl('apply', '-f', EXAMPLE);
      return;
    } catch (error) {
      // Core's webhooks come up a moment after its health does.
      if (clock.now() > end) throw error;
      await pause(clock, ASK_AGAIN, signal);
      signal.throwIfAborted();
    }
  }
}
