import { type Client, configMaps, isAlreadyExists, isConflict } from '@minifleet/kube';
import type { InventoryStore } from '@minifleet/vendors';

const TEXT = 'inventory.yaml';
/** Kept apart from what people write, so that their text is theirs alone. */
const namesOf = (name: string): string => `${name}-names`;

/** The list of owned Macs in a ConfigMap, and the names given to them in another. */
export function configMapInventory(
  client: Client,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): InventoryStore {
  const key = { namespace, name: namesOf(name) };
  return {
    async read({ signal } = {}) {
      const within = signal ? { signal } : {};
      const [list, names] = await Promise.all([
        client.find(configMaps, { namespace, name }, within),
        client.find(configMaps, key, within),
      ]);
      return {
        text: list?.data?.[TEXT] ?? '',
        names: names?.data ?? {},
        version: names?.metadata.resourceVersion ?? '',
      };
    },
    async writeNames(names, version, { signal } = {}) {
      const within = signal ? { signal } : {};
      const data = { ...names };
      try {
        if (version === '') await client.create(configMaps, { metadata: key, data }, within);
        else {
          const body = { metadata: { resourceVersion: version }, data };
          await client.patch(configMaps, key, { type: 'merge', body }, within);
        }
        return true;
      } catch (error) {
        if (isConflict(error) || isAlreadyExists(error)) return false;
        throw error;
      }
    },
  };
}
