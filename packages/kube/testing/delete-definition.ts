import { milliseconds, minutes } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { customResourceDefinitions } from '../client/built-in.ts';
import type { Client } from '../client/client.ts';

/**
 * Takes a kind away and waits until it is gone. Now and then the API server takes minutes for that (kubernetes/kubernetes#129989); a
 * change has it look again.
 */
export async function deleteDefinition(client: Client, name: string): Promise<void> {
  await client.delete(customResourceDefinitions, { name });
  let looks = 0;
  const isGone = async (): Promise<boolean> => {
    if ((await client.find(customResourceDefinitions, { name })) === undefined) return true;
    looks += 1;
    const body = { metadata: { annotations: { 'minifleet.dev/looks': String(looks) } } };
    await client.patch(customResourceDefinitions, { name }, { type: 'merge', body });
    return false;
  };
  await eventually(isGone, { what: `${name} is gone`, deadline: minutes(2), interval: milliseconds(250) });
}
