import type { Client } from '../../client/client.ts';

/** A server the contract is held against. */
export interface ContractServer {
  readonly client: Client;
  readonly capabilities: {
    /** Whether something collects dependents and empties deleted namespaces. */
    readonly garbageCollector: boolean;
  };
  close(): Promise<void>;
}
