import { describe, test } from 'node:test';
import { abortContract } from './contract/abort.contract.ts';
import { failuresContract } from './contract/failures.contract.ts';
import { keysContract } from './contract/keys.contract.ts';
import { namesContract } from './contract/names.contract.ts';
import { readingContract } from './contract/reading.contract.ts';
import { rebootContract } from './contract/reboot.contract.ts';
import { reinstallContract } from './contract/reinstall.contract.ts';
import type { BenchTest, Topic, VendorContract } from './contract/vendor-bench.ts';

export type { VendorBench, VendorContract } from './contract/vendor-bench.ts';

const topics: Readonly<Record<string, Topic>> = {
  reading: readingContract,
  names: namesContract,
  reinstallation: reinstallContract,
  restarts: rebootContract,
  keys: keysContract,
  failures: failuresContract,
  'giving up': abortContract,
};

/** The behaviours every driver shows. Abilities differ: what a vendor cannot do, it refuses in plain words. */
export function testVendor(contract: VendorContract): void {
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
    void describe(`${contract.name}: ${title}`, () => topic(benchTest, contract));
  }
}
