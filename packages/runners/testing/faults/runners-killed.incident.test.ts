import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { type EffectFault, faultModes } from '@minifleet/provider/testing/faults/effect-fault';
import { effectsOn, failureScenariosOn } from '@minifleet/provider/testing/faults/fault-page';
import { defectiveControllers } from './defective-controllers.ts';
import { runFailureScenario } from './failure-scenario.ts';
import { failureScenarios } from './failure-scenarios.ts';
import { faultsIn, injectFault, runScenario } from './inject-fault.ts';
import { effectsOf } from './killed-page.ts';
import type { RunnersEffect } from './runners-effect.ts';
import { scenarios } from './scenarios.ts';

const PAGE = 'docs/proofs/runners-killed.md';

/** Selects one fault mode for each effect, in rotation. All modes at all effects take minutes, and the page has their results. */
function inRotation(faults: readonly EffectFault<RunnersEffect>[]): EffectFault<RunnersEffect>[] {
  const effects = [...Map.groupBy(faults, ({ effect }) => effect).values()];
  return effects.flatMap((own, turn) => own.slice(turn % own.length, (turn % own.length) + 1));
}

/** GitHub reads and status writes are tested only in the first scenario. */
const isReadOrStatusWrite = ({ effect: { kind, name } }: EffectFault<RunnersEffect>): boolean =>
  kind === 'forge read' || name === 'patch runnerpools/status';

describe('the runner controller recovers from a fault at each of its effects and violates no invariant', () => {
  const found: string[] = [];

  for (const scenario of scenarios)
    test(`the runner controller recovers from injected faults: ${scenario.name}`, async () => {
      const faults = await faultsIn(scenario);
      found.push(...effectsOf(scenario.name, faults));
      const selected = inRotation(
        scenario === scenarios[0] ? faults : faults.filter(fault => !isReadOrStatusWrite(fault)),
      );
      assert.ok(selected.length >= 8, `${selected.length} faults`);
      if (scenario === scenarios[0]) assert.deepEqual(new Set(selected.map(({ mode }) => mode)), new Set(faultModes));
      const outcomes = [];
      for (const fault of selected) outcomes.push(await injectFault(scenario, fault));
      assert.deepEqual(
        outcomes.filter(({ violations }) => violations.length > 0),
        [],
      );
    });

  test('the runners-killed page lists every effect as recovered', () => {
    const page = readFileSync(PAGE, 'utf8');
    assert.deepEqual(effectsOn(page), found, 'run: npm run proofs -- runners-killed');
    assert.match(page, /^\d+ injected faults and \d+ failure scenarios, 0 not recovered\.$/m);
  });
});

describe('the runner controller reaches the expected result of a failure scenario and violates no invariant', () => {
  for (const scenario of failureScenarios)
    test(`${scenario.name}: ${scenario.expected}`, async () => {
      assert.deepEqual(await runFailureScenario(scenario), []);
    });

  test('the runners-killed page lists every failure scenario', () => {
    assert.deepEqual(
      failureScenariosOn(readFileSync(PAGE, 'utf8')),
      failureScenarios.map(({ name }) => name),
      'run: npm run proofs -- runners-killed',
    );
  });
});

describe('the invariants detect a defective controller', () => {
  for (const { name, scenario: scenarioName, tamper, violation } of defectiveControllers)
    test(`the invariants detect a controller that ${name}`, async () => {
      const scenario = scenarios.find(each => each.name === scenarioName);
      assert.ok(scenario);
      const { violations } = await runScenario({ ...scenario, options: { tamper } });
      assert.match(violations.join('\n'), violation);
    });
});
