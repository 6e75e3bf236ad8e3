/** Creates an object, or leaves an existing one, so that a restarted setup continues. */
import { setupRefused } from '../errors.ts';
import type { HttpsClient } from '../https-client.ts';

export type ApiObject = { apiVersion: string; kind: string; metadata: { name: string } };

/** `collection` is the API path of the resource. */
export async function createObject(client: HttpsClient, collection: string, object: ApiObject): Promise<void> {
  const { status, text } = await client.request(collection, { method: 'POST', body: object, timeout: 30_000 });
  if (status !== 201 && status !== 409) throw setupRefused(`${object.kind} ${object.metadata.name}`, text);
}
