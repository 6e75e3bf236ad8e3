import { type Clock, minutes, type Timer } from '@minifleet/clock';
import { type Client, ConnectionError } from '@minifleet/kube';

/** A client whose connections can be swapped under whoever uses it. */
interface RenewableClient {
  readonly client: Client;
  /** New requests go over the new one at once. Requests under way end on the old one; its watches are cut then and resume on the new. */
  use(next: Client): void;
}

/** Longer than any request may take. */
const OLD_ONE_LIVES = minutes(1);

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
      leaving.set(old, clock.after(OLD_ONE_LIVES, end));
    },
  };
}
