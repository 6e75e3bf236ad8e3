import { type Duration, pause } from '@minifleet/clock';
import type { WorldDeps } from '../world-deps.ts';

/** Power state of one Mac, and its boot and shutdown listeners. */
export interface Power {
  readonly on: boolean;
  readonly uptime: number;
  onBoot(listener: () => void): void;
  onShutDown(listener: () => void): void;
  boot(): void;
  shutDown(): void;
  reboot(): Promise<void>;
}

interface PowerOptions {
  readonly around: WorldDeps;
  /** Place name in the journal. */
  readonly place: string;
  readonly rebootTakes: Duration;
}

export function createPower({ around: { clock, journal }, place, rebootTakes }: PowerOptions): Power {
  const bootListeners: (() => void)[] = [];
  const downListeners: (() => void)[] = [];
  let bootedAt: number | undefined;
  let comingUp: AbortController | undefined;
  const power: Power = {
    get on() {
      return bootedAt !== undefined;
    },
    get uptime() {
      return bootedAt === undefined ? 0 : clock.now() - bootedAt;
    },
    onBoot: listener => void bootListeners.push(listener),
    onShutDown: listener => void downListeners.push(listener),
    boot() {
      comingUp?.abort();
      if (bootedAt !== undefined) return;
      bootedAt = clock.now();
      journal.add(place, 'boot', '');
      for (const listener of bootListeners) listener();
    },
    shutDown() {
      // Switching a Mac off during a reboot cancels the boot.
      comingUp?.abort();
      if (bootedAt === undefined) return;
      bootedAt = undefined;
      journal.add(place, 'shut down', '');
      for (const listener of downListeners) listener();
    },
    async reboot() {
      power.shutDown();
      const up = new AbortController();
      comingUp = up;
      await pause(clock, rebootTakes, up.signal);
      if (!up.signal.aborted) power.boot();
    },
  };
  return power;
}
