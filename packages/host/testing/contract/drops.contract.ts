import assert from 'node:assert/strict';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import type { Bench } from './contract-host.ts';
import { ran } from './ran.ts';
import { test } from './test.ts';

const DROPS = [
  { when: 'before', happened: false },
  { when: 'during', happened: true },
  { when: 'after', happened: true },
] as const;

/** A connection that breaks at an exact point of a command, once: it may have run or not, and it is never run twice. */
export function dropsContract(bench: Bench): void {
  for (const { when, happened } of DROPS) {
    test(`a command whose answer is lost ${when} it runs counts as begun and is not repeated`, async () => {
      const { transport, folder, drop } = bench();
      const path = `${folder}/dropped-${when}`;
      drop?.(when);
      const argv = ['/bin/sh', '-c', `cat > /dev/null; echo once >> ${path}`] as const;
      const outcome = await transport.run({ argv, stdin: Buffer.from('input'), deadline: seconds(20) });
      assert.equal(outcome.kind, 'unreached');
      assert.ok(outcome.kind === 'unreached' && outcome.error.code === 'HOST_CONNECTION_LOST' && outcome.begun);
      // What runs on without us may end a moment later.
      await eventually(async () => {
        const { stdout } = await ran(transport, ['/bin/sh', '-c', `cat ${path} 2>/dev/null`]);
        return stdout.toString() === (happened ? 'once\n' : '');
      });
    });
  }
}
