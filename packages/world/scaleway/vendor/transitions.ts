import { type Duration, milliseconds, type Timer } from '@minifleet/clock';
import type { Chance } from '../../chance.ts';
import type { WorldDeps } from '../../world-deps.ts';
import { PLACE } from '../http/gateway.ts';
import type { Server } from '../model/server.ts';
import { withStatus } from '../model/server-transition.ts';
import type { Ledger } from './ledger.ts';
import type { ScalewayVendor, ServerInstallation } from './scaleway-vendor.ts';

/** What happens to a server later, on the clock. A server is in one transition at a time; a scheduled deletion waits beside it. */
export interface Transitions {
  /**
   * After the duration tells the machine and then writes the new state down. It is made from the server as it is by
   * then: a rename in between must not be lost. A machine that cannot follow leaves its server in `error`.
   */
  begin(id: string, after: Duration, end: TransitionEnd): void;
  /** Runs at the given time unless it is put off again. */
  deleteAt(id: string, time: number, remove: (server: Server) => void): void;
  keep(id: string): void;
  /** Forgets all that was to happen to one server. */
  cancel(id: string): void;
  stop(): void;
}

interface TransitionEnd {
  readonly tell: (server: Server) => void | Promise<void> | undefined;
  readonly next: (server: Server, now: number) => Server;
}

export function createTransitions({ clock, journal }: WorldDeps, ledger: Ledger): Transitions {
  const running = new Map<string, Timer>();
  const deletions = new Map<string, Timer>();
  const cancelIn = (timers: Map<string, Timer>, id: string): void => {
    timers.get(id)?.cancel();
    timers.delete(id);
  };

  async function finish(id: string, { tell, next }: TransitionEnd): Promise<void> {
    const server = ledger.find(id);
    if (!server) return;
    try {
      await tell(server);
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

/** Every key of the project goes on each of its Macs, whoever it was meant for (S1). Disabled ones do not. */
export const projectKeys = ({ ledger }: ScalewayVendor, projectId: string): string[] =>
  [...ledger.sshKeys.values()].filter(key => key.projectId === projectId && !key.disabled).map(key => key.publicKey);

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Twelve letters and digits, as recorded; another one for each installation. */
export function passwordFor(chance: Chance, id: string, installation: number): string {
  const stream = chance.stream(`password ${id} ${installation}`);
  return Array.from({ length: 12 }, () => LETTERS[stream.integer(LETTERS.length)] ?? 'x').join('');
}
