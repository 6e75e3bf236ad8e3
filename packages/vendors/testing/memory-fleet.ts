import { Secret } from '@minifleet/secret';
import type { Server, ServerRef } from '../vendor.ts';
import { memoryServer } from './memory-server.ts';

/** The servers of a vendor in memory, and what people do to them in its console. */
export interface MemoryFleet {
  /** Current servers, independent of stale lists. */
  readonly all: () => readonly Server[];
  /** The server of that id or name as it is now; throws unless there is exactly one. */
  readonly find: (idOrName: string) => Server;
  /** One more server, or another state of one it has. */
  readonly put: (server: Partial<Server>) => Server;
  /** The vendor takes it back. */
  readonly remove: (id: string) => void;
  /** The installation or restart under way is over; an installation changed the password. */
  readonly finish: (id: string) => void;
  /** From now on lists answer with what they would have said now; `server` still tells the truth. */
  readonly holdLists: () => void;
  readonly releaseLists: () => void;
}

export interface MemoryFleetInside extends MemoryFleet {
  readonly listed: (zone: string) => readonly Server[];
  readonly at: (ref: ServerRef) => Server | undefined;
}

export function createMemoryFleet(first: readonly Partial<Server>[]): MemoryFleetInside {
  const servers = new Map<string, Server>();
  let held: readonly Server[] | undefined;
  let made = 0;
  let installations = 0;
  const all = (): readonly Server[] => [...servers.values()];

  function find(idOrName: string): Server {
    const [server, ...others] = all().filter(({ id, name }) => id === idOrName || name === idOrName);
    if (!server || others.length > 0) throw new Error(`not exactly one server is called ${idOrName}`);
    return server;
  }

  function put(said: Partial<Server>): Server {
    const before = said.id === undefined ? undefined : servers.get(said.id);
    const server = before ? { ...before, ...said } : memoryServer(++made, said);
    servers.set(server.id, server);
    return server;
  }

  function finish(id: string): void {
    const { stateWord, name } = find(id);
    const password = new Secret(`the password of ${name}`, `pass-${id.slice(-4)}-${++installations}`);
    put({ id, state: 'ready', stateWord: 'ready', ...(stateWord === 'reinstalling' && { password }) });
  }

  for (const server of first) put(server);

  return {
    all,
    find,
    put,
    finish,
    remove: id => void servers.delete(id),
    holdLists: () => {
      held = all();
    },
    releaseLists: () => {
      held = undefined;
    },
    listed: zone => (held ?? all()).filter(server => server.zone === zone),
    at: ({ zone, id }) => {
      const server = servers.get(id);
      return server?.zone === zone ? server : undefined;
    },
  };
}
