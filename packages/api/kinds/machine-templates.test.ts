import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isChangeRule } from '../schema/rule.ts';
import { oldestTemplate } from '../testing/older-system.ts';
import { rulesIn } from '../testing/rule-table.ts';
import { scalewayAppleSiliconMachineTemplate } from './machine-templates.ts';
import { scalewayAppleSiliconMachine } from './scaleway-apple-silicon-machine.ts';

test('I36 the oldest template is valid, and so is a machine cloned from it', () => {
  assert.deepEqual(scalewayAppleSiliconMachineTemplate.validate(oldestTemplate).problems, []);
  const clone = { ...oldestTemplate, kind: 'ScalewayAppleSiliconMachine', spec: oldestTemplate.spec.template.spec };
  assert.deepEqual(scalewayAppleSiliconMachine.validate(clone).problems, []);
});

test('a template cannot name a host, or every machine made from it would name the same one', () => {
  const spec = { providerID: 'scw-applesilicon://fr-par-1/8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11', claimRef: {} };
  const { problems } = scalewayAppleSiliconMachineTemplate.validate({
    ...oldestTemplate,
    spec: { template: { spec } },
  });
  assert.deepEqual(
    problems.map(({ path }) => path),
    ['spec.template.spec.providerID', 'spec.template.spec.claimRef'],
  );
});

test('a template has no transition rule, because ClusterClass applies dry-run changes', () => {
  const rules = rulesIn(scalewayAppleSiliconMachineTemplate.schema);
  assert.ok(rules.length > 0);
  assert.deepEqual(
    rules.filter(({ rule }) => isChangeRule(rule)),
    [],
  );
});

test('the capacity takes whole numbers and quantities, and refuses words', () => {
  const withCapacity = (cpu: unknown) => ({ ...oldestTemplate, status: { capacity: { cpu, memory: '14Gi' } } });
  assert.equal(scalewayAppleSiliconMachineTemplate.validate(withCapacity(8)).ok, true);
  assert.deepEqual(scalewayAppleSiliconMachineTemplate.validate(withCapacity('lots')).problems, [
    { path: 'status.capacity.cpu', message: 'got "lots": write a whole number or a quantity such as 14Gi' },
  ]);
});
