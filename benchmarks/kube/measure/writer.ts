import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '@minifleet/clock';
import { type Client, configMaps, connectClient, namespaces, parseKubeconfig } from '@minifleet/kube';
import { sharedClock } from '../../child/shared-clock.ts';
import { NAMESPACE } from '../names.ts';
import { GONE } from '../subject/task/record-values.ts';

/** Expected value of every object, or GONE. */
export type ExpectedValues = ReadonlyMap<string, string>;

/** Third client, which changes the watched objects and returns their expected values. */
export interface ObjectWriter {
  create(objects: number): Promise<ExpectedValues>;
  /** Repeats a write until the server accepts it, and returns the time. */
  firstWrite(): Promise<number>;
  /** Deletes one object and changes all others. */
  change(value: string): Promise<ExpectedValues>;
  close(): Promise<void>;
}

const FIRST_WRITE_WITHIN = 60_000;

export function connectWriter(kubeconfig: string): ObjectWriter {
  const sources = parseKubeconfig(kubeconfig, { path: 'benchmark' });
  const client = connectClient(sources, { clock: systemClock, retry: { tries: 1 } });
  const names = new Set<string>();
  const set = (name: string, value: string): Promise<unknown> =>
    client.patch(configMaps, { namespace: NAMESPACE, name }, { type: 'merge', body: { data: { value } } });
  return {
    async create(objects) {
      await client.create(namespaces, { metadata: { name: NAMESPACE } });
      for (let number = 0; number < objects; number++) names.add(`object-${number}`);
      for (const name of names) await createObject(client, name);
      return new Map([...names].map(name => [name, 'created']));
    },
    async firstWrite() {
      const end = sharedClock() + FIRST_WRITE_WITHIN;
      for (;;) {
        try {
          await client.patch(namespaces, { name: NAMESPACE }, { type: 'merge', body: annotation(sharedClock()) });
          return sharedClock();
        } catch (error) {
          if (sharedClock() > end) throw error;
          await pause(10);
        }
      }
    },
    async change(value) {
      const [first = '', ...others] = names;
      await client.delete(configMaps, { namespace: NAMESPACE, name: first });
      names.delete(first);
      await Promise.all(others.map(name => set(name, value)));
      return new Map([[first, GONE], ...others.map((name): [string, string] => [name, value])]);
    },
    close: () => client.close(),
  };
}

const createObject = (client: Client, name: string): Promise<unknown> =>
  client.create(configMaps, { metadata: { namespace: NAMESPACE, name }, data: { value: 'created' } });

const annotation = (at: number): object => ({
  metadata: { annotations: { 'benchmark.minifleet.dev/at': String(at) } },
});
