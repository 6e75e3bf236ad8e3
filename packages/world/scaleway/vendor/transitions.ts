import { type Duration, milliseconds, type Timer } from '@minifleet/clock';
import type { Chance } from '../../chance.ts';
import type { WorldDeps } from '../../world-deps.ts';
import { PLACE } from '../http/gateway.ts';
import type { Server } from '../model/server.ts';
import { withStatus } from '../model/server-transition.ts';
import type { Ledger } from './ledger.ts';
import type { ScalewayVendor, ServerInstallation } from './scaleway-vendor.ts';

/** Delayed changes of servers. A server is in one transition at a time, besides a scheduled deletion. */
export interface Transitions {
  /**
   * Notifies the machine after the duration, then stores the new state. The state is computed from the server at that
   * time, so that a rename in between is kept. If the machine fails, its server gets the status `error`.
   */
  begin(id: string, after: Duration, end: TransitionEnd): void;
  /** Deletes the server at the given time unless the deletion is rescheduled or cancelled. */
  deleteAt(id: string, time: number, remove: (server: Server) => void): void;
  keep(id: string): void;
  /** Cancels everything that is pending for the server. */
  cancel(id: string): void;
  stop(): void;
}

interface TransitionEnd {
  readonly notify: (server: Server) => void | Promise<void> | undefined;
  readonly next: (server: Server, now: number) => Server;
}

export function createTransitions({ clock, journal }: WorldDeps, ledger: Ledger): Transitions {
  const running = new Map<string, Timer>();
  const deletions = new Map<string, Timer>();
  const cancelIn = (timers: Map<string, Timer>, id: string): void => {
    timers.get(id)?.cancel();
    timers.delete(id);
  };

  async function finish(id: string, { notify, next }: TransitionEnd): Promise<void> {
    const server = ledger.find(id);
    if (!server) return;
    try {
      await notify(server);
    } catch (error) {
      journal.add(PLACE, 'machine failed', `${id} ${error instanceof Error ? error.message : String(error)}`);
      const broken = ledger.find(id);
      if (broken) ledger.put(withStatus(broken, 'error', clock.now()));
      return;
    }
    const current = ledger.find(id);
    if (current) ledger.put(next(current, clock.now()));
  }

  return {
    begin(id, after, end) {
      cancelIn(running, id);
      const timer = clock.after(after, () => {
        running.delete(id);
        void finish(id, end);
      });
      running.set(id, timer);
    },
    deleteAt(id, time, remove) {
      cancelIn(deletions, id);
      const timer = clock.after(milliseconds(Math.max(0, time - clock.now())), () => {
        deletions.delete(id);
        const server = ledger.find(id);
        if (server?.deletionScheduled) remove(server);
      });
      deletions.set(id, timer);
    },
    keep: id => cancelIn(deletions, id),
    cancel(id) {
      cancelIn(running, id);
      cancelIn(deletions, id);
    },
    stop() {
      for (const id of [...running.keys(), ...deletions.keys()]) this.cancel(id);
    },
  };
}

export const installationOf = (vendor: ScalewayVendor, server: Server, inject: boolean): ServerInstallation => ({
  os: server.os,
  password: server.password,
  sshKeys: inject ? projectKeys(vendor, server.projectId) : [],
});

/** Every enabled key of the project is installed on each of its Macs, whatever its purpose (S1). */
export const projectKeys = ({ ledger }: ScalewayVendor, projectId: string): string[] =>
  [...ledger.sshKeys.values()].filter(key => key.projectId === projectId && !key.disabled).map(key => key.publicKey);

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Twelve letters and digits, as recorded, different for each installation. */
export function passwordFor(chance: Chance, id: string, installation: number): string {
  const stream = chance.stream(`password ${id} ${installation}`);
  return Array.from({ length: 12 }, () => LETTERS[stream.integer(LETTERS.length)] ?? 'x').join('');
}
