import { describe, test } from 'node:test';
import { abortContract } from './contract/abort.contract.ts';
import { failuresContract } from './contract/failures.contract.ts';
import type { BenchTest, ForgeContract, Topic } from './contract/forge-bench.ts';
import { readingContract } from './contract/reading.contract.ts';
import { registrationContract } from './contract/registration.contract.ts';
import { removalContract } from './contract/removal.contract.ts';
import { singleJobContract } from './contract/single-job.contract.ts';

export type { ForgeBench, ForgeContract } from './contract/forge-bench.ts';

const topics: Readonly<Record<string, Topic>> = {
  registration: registrationContract,
  reading: readingContract,
  'runners for a single job': singleJobContract,
  removal: removalContract,
  failures: failuresContract,
  'giving up': abortContract,
};

/** The behaviours every driver shows. */
export function testForge(contract: ForgeContract): void {
  const benchTest: BenchTest = (sentence, body) =>
    void test(sentence, async () => {
      const bench = await contract.open();
      try {
        await body(bench);
      } finally {
        await bench.close();
      }
    });
  for (const [title, topic] of Object.entries(topics)) {
    void describe(`${contract.name}: ${title}`, () => topic(benchTest));
  }
}
