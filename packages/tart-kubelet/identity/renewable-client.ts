import { type Clock, minutes, type Timer } from '@minifleet/clock';
import { type Client, ConnectionError } from '@minifleet/kube';

/** A client whose connection can be replaced transparently. */
interface RenewableClient {
  readonly client: Client;
  /**
   * New requests use the new connection immediately. Requests in progress end on the old one; its watches are then
   * closed and resume on the new one.
   */
  use(next: Client): void;
}

/** Longer than any request may take. */
const CLOSE_OLD_AFTER = minutes(1);

export function createRenewableClient(clock: Clock): RenewableClient {
  let current: Client | undefined;
  const leaving = new Map<Client, Timer>();
  const now = (): Client => {
    if (!current) throw new ConnectionError('this node has no identity yet', { unsent: true });
    return current;
  };
  const client: Client = {
    get: async (...given) => now().get(...given),
    find: async (...given) => now().find(...given),
    list: async (...given) => now().list(...given),
    watch: async (...given) => now().watch(...given),
    create: async (...given) => now().create(...given),
    update: async (...given) => now().update(...given),
    patch: async (...given) => now().patch(...given),
    apply: async (...given) => now().apply(...given),
    delete: async (...given) => now().delete(...given),
    send: async request => now().send(request),
    async close() {
      for (const timer of leaving.values()) timer.cancel();
      await Promise.all([...leaving.keys(), ...(current ? [current] : [])].map(one => one.close()));
      leaving.clear();
    },
  };
  return {
    client,
    use(next) {
      const old = current;
      current = next;
      if (!old) return;
      const end = (): void => {
        leaving.delete(old);
        void old.close();
      };
      leaving.set(old, clock.after(CLOSE_OLD_AFTER, end));
    },
  };
}
