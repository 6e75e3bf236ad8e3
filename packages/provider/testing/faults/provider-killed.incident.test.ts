import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { type EffectFault, faultModes } from './effect-fault.ts';
import { runFailureScenario } from './failure-scenario.ts';
import { failureScenarios } from './failure-scenarios.ts';
import { effectsOn, failureScenariosOn } from './fault-page.ts';
import { faultsIn, injectFault } from './inject-fault.ts';
import { effectsOf } from './killed-page.ts';
import { type ProviderScenario, scenarios } from './scenarios.ts';

const PAGE = 'docs/proofs/provider-killed.md';

/** Selects one fault mode for each effect, in rotation. All modes at all effects take minutes, and the page has their results. */
function inRotation(faults: readonly EffectFault[]): EffectFault[] {
  const effects = [...Map.groupBy(faults, ({ effect }) => effect).values()];
  return effects.flatMap((own, turn) => own.slice(turn % own.length, (turn % own.length) + 1));
}

/** Selects all effects of the full lifecycle (those at the vendor with every mode), and every second effect of other scenarios. */
const selectFaults = (scenario: ProviderScenario, faults: readonly EffectFault[]): EffectFault[] =>
  scenario === scenarios[0]
    ? [...inRotation(faults.filter(isNotAtVendor)), ...faults.filter(fault => !isNotAtVendor(fault))]
    : inRotation(faults).filter((_, turn) => turn % 2 === 0);

const isNotAtVendor = ({ effect }: EffectFault): boolean => effect.kind !== 'vendor';

describe('the provider recovers from a fault at each of its effects and violates no invariant', () => {
  const found: string[] = [];

  for (const scenario of scenarios)
    test(`the provider recovers from injected faults: ${scenario.name}`, async () => {
      const faults = await faultsIn(scenario);
      found.push(...effectsOf(scenario.name, faults));
      const selected = selectFaults(scenario, faults);
      assert.ok(selected.length >= 5, `${selected.length} faults`);
      if (scenario === scenarios[0]) assert.deepEqual(new Set(selected.map(({ mode }) => mode)), new Set(faultModes));
      const outcomes = [];
      for (const fault of selected) outcomes.push(await injectFault(scenario, fault));
      assert.deepEqual(
        outcomes.filter(({ violations }) => violations.length > 0),
        [],
      );
    });

  test('the provider-killed page lists every effect as recovered', () => {
    const page = readFileSync(PAGE, 'utf8');
    assert.deepEqual(effectsOn(page), found, 'run: npm run proofs -- provider-killed');
    assert.match(page, /^\d+ injected faults and \d+ failure scenarios, 0 not recovered\.$/m);
  });
});

describe('the provider reaches the expected result of a failure scenario and violates no invariant', () => {
  for (const scenario of failureScenarios)
    test(`${scenario.name}: ${scenario.expected}`, async () => {
      assert.deepEqual(await runFailureScenario(scenario), []);
    });

  test('the provider-killed page lists every failure scenario', () => {
    assert.deepEqual(
      failureScenariosOn(readFileSync(PAGE, 'utf8')),
      failureScenarios.map(({ name }) => name),
      'run: npm run proofs -- provider-killed',
    );
  });
});
