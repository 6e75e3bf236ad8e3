import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { Secret } from '@minifleet/secret';
import { createPlan } from '../../engine/plan.ts';
import { defineStep, drift, planStep } from '../../engine/step.ts';
import { sabotages } from '../canary/sabotage.ts';
import { PLANTED, type Provocation, runCanary } from './canary-run.ts';

const PAGE = 'docs/proofs/canary.md';

/** Selects one failure for each command, in rotation, and every twentieth file and program. The page has the results of all. */
const inRotation = (provocation: Provocation, index: number): boolean =>
  provocation.kind === 'command'
    ? sabotages[provocation.number % sabotages.length] === provocation.how
    : index % 20 === 0;

test('I27 no error, report, journal, ledger, command line or file contains a secret after any failure', async () => {
  const { canary, provoked } = await runCanary({ choose: inRotation });
  assert.ok(provoked.length > 100, `${provoked.length} failures`);
  assert.ok(canary.bytes > 10_000_000);
  assert.deepEqual(canary.leaks, []);
});

test('the canary page covers failures of every kind and reports no leak', () => {
  const page = readFileSync(PAGE, 'utf8');
  for (const how of sabotages)
    assert.match(page, new RegExp(`\\| command: ${how} \\| [1-9]`), 'run: npm run proofs -- canary');
  assert.match(page, /findings: 0\.\n/);
  for (const { name } of PLANTED) assert.ok(page.includes(`- ${name}\n`), name);
});

const PASSWORD = String(PLANTED[0]?.value);
const LEAKING_ERROR = defineError('HOST_LEAKING', {
  retry: 'operator',
  reason: 'Leaking',
  text: 'the step printed {words}; inspect it',
});

/** A plan with a step that leaks a secret which the redactor does not know. */
const leakingPlan = (how: 'in an error' | 'in a command' | 'in a file') =>
  createPlan([
    planStep(
      defineStep<{ readonly user: string }>({
        id: 'leaking',
        title: 'leaking',
        disturbs: 'nothing',
        timeout: minutes(1),
        inspect: async () => drift('always drifted'),
        async change(host) {
          if (how === 'in an error') throw LEAKING_ERROR({ words: PASSWORD });
          if (how === 'in a command') await host.must(['/bin/echo', PASSWORD]);
          await host.run(['/usr/bin/tee', '/tmp/note'], { stdin: new Secret('password', PASSWORD) });
          return [];
        },
      }),
      { user: 'm1' },
    ),
  ]);

for (const how of ['in an error', 'in a command', 'in a file'] as const) {
  test(`the canary detects a step that leaks a secret ${how}`, async () => {
    const { canary } = await runCanary({
      plan: leakingPlan(how),
      choose: it => it.kind === 'command' && it.how === 'lost after',
    });
    assert.ok(canary.leaks.some(({ secret }) => secret.startsWith('password')));
  });
}
