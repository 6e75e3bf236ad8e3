import type { HostNames, InventoryStore } from '../inventory/inventory-store.ts';
import { hang } from './memory-faults.ts';

/** An inventory in memory. Writes are conditional, as they are on a ConfigMap. */
export interface MemoryInventoryStore extends InventoryStore {
  /** Inventory text. */
  text: string;
  readonly names: HostNames;
  /** Number of writes of names. */
  readonly writes: number;
  /** `lost`: the next write has its effect and no answer · `down`: every call fails · `hang`: no answer comes. */
  fault: { readonly on: 'read' | 'write'; readonly what: 'lost' | 'down' | 'hang' } | undefined;
}

export function memoryInventoryStore(text = ''): MemoryInventoryStore {
  let names: HostNames = {};
  let writes = 0;
  const store: MemoryInventoryStore = {
    text,
    fault: undefined,
    get names() {
      return names;
    },
    get writes() {
      return writes;
    },
    async read({ signal } = {}) {
      if (store.fault?.on === 'read') await struck(store.fault.what, signal);
      return { text: store.text, names, version: String(writes) };
    },
    async writeNames(wanted, version, { signal } = {}) {
      const { fault } = store;
      if (fault?.on === 'write' && fault.what !== 'lost') await struck(fault.what, signal);
      if (version !== String(writes)) return false;
      names = wanted;
      writes += 1;
      if (fault?.on !== 'write') return true;
      store.fault = undefined;
      return struck(fault.what, signal);
    },
  };
  return store;
}

function struck(what: 'lost' | 'down' | 'hang', signal: AbortSignal | undefined): Promise<never> {
  if (what === 'hang') return hang(signal);
  return Promise.reject(new Error('the connection is lost: made to fail by a test'));
}
