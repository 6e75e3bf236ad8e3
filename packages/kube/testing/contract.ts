import { after, before } from 'node:test';
import { applyContract } from './contract/apply.ts';
import { Bench } from './contract/bench.ts';
import { certificateRequestContract } from './contract/certificate-request.ts';
import type { ContractServer } from './contract/contract-server.ts';
import { createContract } from './contract/create.ts';
import { definitionContract } from './contract/definition.ts';
import { deleteContract } from './contract/delete.ts';
import { errorContract } from './contract/error.ts';
import { fieldOwnershipContract } from './contract/field-ownership.ts';
import { garbageContract } from './contract/garbage.ts';
import { listContract } from './contract/list.ts';
import { patchContract } from './contract/patch.ts';
import { podGraceContract } from './contract/pod-grace.ts';
import { schemaContract } from './contract/schema.ts';
import { selectorContract } from './contract/selector.ts';
import { statusContract } from './contract/status.ts';
import { strategicPatchContract } from './contract/strategic-patch.ts';
import { describe } from './contract/test.ts';
import { updateContract } from './contract/update.ts';
import { watchContract } from './contract/watch.ts';

export type { ContractServer };

const topics: Record<string, (bench: Bench) => void> = {
  'creating objects': createContract,
  'updating objects': updateContract,
  'the status subresource': statusContract,
  'merge and JSON patches': patchContract,
  'strategic merge patches': strategicPatchContract,
  'server-side apply': applyContract,
  'ownership of fields': fieldOwnershipContract,
  'schemas of custom kinds': schemaContract,
  'definitions of custom kinds': definitionContract,
  'certificate signing requests': certificateRequestContract,
  'deleting objects and finalizers': deleteContract,
  'the grace period of pods': podGraceContract,
  'garbage collection': garbageContract,
  'lists and their pages': listContract,
  selectors: selectorContract,
  watches: watchContract,
  'wrong requests': errorContract,
};

/** API server behaviour that the controllers rely on. The same tests run against the real API server and the in-memory one. */
export function apiServerContract(name: string, open: () => Promise<ContractServer>): void {
  describe(`API server contract: ${name}`, () => {
    const bench = new Bench();
    before(async () => bench.open(await open()));
    after(() => bench.close());
    for (const [title, topic] of Object.entries(topics)) describe(title, () => topic(bench));
  });
}
