import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { kinds } from './kinds.ts';
import type { Kind } from './schema/define-kind.ts';
import { isChangeRule, type RuleTransition } from './schema/rule.ts';
import type { ValidationResult } from './schema/validate.ts';
import type { Answer } from './testing/api-server.ts';
import { type ContractCluster, startContractCluster } from './testing/contract-cluster.ts';
import { oldestTemplate } from './testing/older-system.ts';
import { changedExample, exampleWith, type PlacedRule, rulesIn } from './testing/rule-table.ts';

let cluster: ContractCluster;

before(async () => {
  cluster = await startContractCluster();
});

after(() => cluster.stop());

describe('the real API server', () => {
  for (const kind of kinds) {
    const name = kind.resource.kind;

    test(`establishes ${name} and finds its schema structural`, async () => {
      const { body } = await cluster.call({ method: 'GET', path: crdPath(kind) });
      const { conditions } = (body as { status: { conditions: { type: string; status: string }[] } }).status;
      const inForce = conditions.filter(({ status }) => status === 'True').map(({ type }) => type);
      assert.ok(inForce.includes('Established'), JSON.stringify(conditions));
      assert.ok(!inForce.includes('NonStructuralSchema'), JSON.stringify(conditions));
    });

    test(`fills the same defaults of ${name} as we do`, async () => {
      const object = exampleWith(kind, ['metadata'], kind.example.metadata);
      const { status, body, message } = await cluster.tryCreate(kind, object);
      assert.equal(status, 201, message);
      assert.deepEqual((body as { spec: unknown }).spec, kind.withDefaults(object).spec);
    });

    for (const placed of rulesIn(kind.schema)) {
      const where = placed.path.join('.') || 'the whole object';
      test(`gives our verdict on every example of ${name}, ${where}: ${placed.rule.message}`, () =>
        tryRule(kind, placed));
    }
  }

  test('prints the description of samm.spec.adoptPoolPrefix with kubectl explain', async () => {
    const printed = await cluster.kubectl(['explain', 'samm.spec.adoptPoolPrefix']);
    assert.match(printed, /FIELD: adoptPoolPrefix <string>/);
    assert.match(printed.replaceAll(/\s+/g, ' '), /starts with this prefix can be adopted, for example tuist-pool-/);
  });

  test('prints columns that tell where a machine is stuck with kubectl get', async () => {
    const printed = await cluster.kubectl(['get', 'samm', '--namespace', 'default', '--output', 'wide']);
    assert.match(printed, /^NAME +CLUSTER +MACHINE +HOST +STEP +READY +AGE +PROVIDERID +PAUSED +WHY/);
  });

  test('I36 accepts a machine with an empty spec, and one with none', async () => {
    const [machine] = kinds;
    assert.ok(machine);
    for (const spec of [{}, undefined]) {
      const { status, body, message } = await cluster.tryCreate(machine, exampleWith(machine, ['spec'], spec));
      assert.equal(status, 201, message);
      assert.equal((body as { spec: { os: string } }).spec.os, 'macos-tahoe-26.3');
    }
  });

  test('I36 accepts the oldest template, and a machine cloned from it', async () => {
    const [machine, template] = kinds;
    assert.ok(machine && template);
    const made = await cluster.tryCreate(template, oldestTemplate);
    assert.equal(made.status, 201, made.message);
    const clone = await cluster.tryCreate(machine, exampleWith(machine, ['spec'], oldestTemplate.spec.template.spec));
    assert.equal(clone.status, 201, clone.message);
  });

  test('refuses a misspelt field when asked to be strict', async () => {
    const [machine] = kinds;
    assert.ok(machine);
    const { status, message } = await cluster.tryCreate(
      machine,
      exampleWith(machine, ['spec', 'adoptPoolPrefx'], 'tuist-pool-'),
    );
    assert.equal(status, 400);
    assert.match(message, /unknown field "spec.adoptPoolPrefx"/);
  });

  test('lets an object left by the older system be labelled and given a new status', async () => {
    const labelled = await cluster.call({
      method: 'PATCH',
      path: cluster.leftover,
      body: { metadata: { labels: { moved: 'true' } } },
    });
    assert.equal(labelled.status, 200, labelled.message);
    const { serverID } = (labelled.body as { status: { serverID: string } }).status;
    assert.equal(serverID, '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11', 'what tells the host must survive the new CRD');
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: '',
      lastTransitionTime: '2026-05-19T08:00:00Z',
    };
    const status = { initialization: { provisioned: true }, conditions: [ready] };
    const written = await cluster.call({ method: 'PATCH', path: `${cluster.leftover}/status`, body: { status } });
    assert.equal(written.status, 200, written.message);
  });
});

async function tryRule(kind: Kind, { path, rule }: PlacedRule): Promise<void> {
  const attempt = isChangeRule(rule) ? tryChange : tryValue;
  for (const example of rule.accepts) {
    const message = await attempt(kind, path, example);
    assert.ok(!message.includes(rule.message), message);
  }
  for (const example of rule.rejects) {
    const message = await attempt(kind, path, example);
    assert.ok(
      message.includes(rule.message),
      `${JSON.stringify(example)} was not refused with this sentence: ${message}`,
    );
  }
}

async function tryValue(kind: Kind, path: readonly string[], example: unknown): Promise<string> {
  const object = exampleWith(kind, path, example);
  return agreed(await cluster.tryCreate(kind, object), kind.validate(object));
}

async function tryChange(kind: Kind, path: readonly string[], example: unknown): Promise<string> {
  const { before, after } = changedExample(kind, path, example as RuleTransition);
  return agreed(await cluster.tryChange(kind, before, after), kind.validate(after, before));
}

/** Fails unless the API server and we said the same; returns its words, empty when it accepted. */
function agreed({ status, message }: Answer, verdict: ValidationResult): string {
  assert.equal(
    status === 200 || status === 201,
    verdict.ok,
    `${message}\nand we said ${JSON.stringify(verdict.problems)}`,
  );
  if (verdict.ok) return '';
  assert.equal(status, 422, message);
  for (const problem of verdict.problems)
    assert.ok(message.includes(problem.message), `${message}\nbut we said ${problem.message}`);
  return message;
}

function crdPath(kind: Kind): string {
  return `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${kind.resource.plural}.${kind.resource.group}`;
}
