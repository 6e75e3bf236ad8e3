import type { Client } from '../../client/client.ts';

/** A server the contract is held against, garbage collection included (a real one needs its controller manager). */
export interface ContractServer {
  readonly client: Client;
  close(): Promise<void>;
}
