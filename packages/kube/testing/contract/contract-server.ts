import type { Client } from '../../client/client.ts';

/** Server under test, with garbage collection. A real server needs its controller manager for that. */
export interface ContractServer {
  readonly client: Client;
  close(): Promise<void>;
}
