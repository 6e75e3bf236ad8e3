/** Creates an object, or leaves the one that is there: a restarted set-up finds its own work. */
import { setupRefused } from '../errors.ts';
import type { HttpsClient } from '../https-client.ts';

export type ApiObject = { apiVersion: string; kind: string; metadata: { name: string } };

/** `collection` is the path under which objects of the kind are created. */
export async function createObject(client: HttpsClient, collection: string, object: ApiObject): Promise<void> {
  const { status, text } = await client.ask(collection, { method: 'POST', body: object, timeout: 30_000 });
  if (status !== 201 && status !== 409) throw setupRefused(`${object.kind} ${object.metadata.name}`, text);
}
