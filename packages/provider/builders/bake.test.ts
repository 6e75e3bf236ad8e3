import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { FORGE_BUSY } from '@minifleet/forges';
import type { Node } from '@minifleet/kube';
import { bakeOn } from '../hosts/occupancy.ts';
import { buildersBench, NAMESPACE, SPEC } from './testing/builders-bench.ts';

const builder = { namespace: NAMESPACE, name: 'mini-01', spec: SPEC, node: undefined };
const foreign = 'VMs that the agent does not manage: tuist-runner';

const nodeWith = (ready: string, reason: string): Node =>
  ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'mini-01' },
    status: {
      conditions: [
        { type: 'Ready', status: ready },
        { type: 'ForeignVMs', status: 'True', reason, message: foreign },
      ],
    },
  }) as unknown as Node;

describe('bake on a builder', () => {
  test('the job of its runner is a bake until it ends', async () => {
    const { runners, forge, clock } = await buildersBench({ runners: [{ name: 'mini-01' }] });
    assert.equal(await bakeOn(builder, runners), undefined);
    forge.takeJob('mini-01');
    await clock.advance(seconds(30));
    assert.equal(await bakeOn(builder, runners), 'its runner mini-01 is running a job');
    forge.finishJob('mini-01');
    await clock.advance(seconds(30));
    assert.equal(await bakeOn(builder, runners), undefined);
  });

  test('an unknown runner state counts as a bake, because an interrupted bake does not resume', async () => {
    const { runners, forge } = await buildersBench({ runners: [{ name: 'mini-01' }] });
    forge.failNext({ call: 'runners', when: 'before', error: FORGE_BUSY({ forge: 'memory', call: 'runners' }) });
    assert.match((await bakeOn(builder, runners)) ?? '', /^the state of its runner is unknown: runner lookup in acme/);
  });

  test('a VM that an operator runs is a bake while the agent reports it', async () => {
    const { runners } = await buildersBench({ runners: [{ name: 'mini-01' }] });
    const bake = (ready: string, reason: string) => bakeOn({ ...builder, node: nodeWith(ready, reason) }, runners);
    assert.equal(await bake('True', 'ForeignVMsRunning'), foreign);
    assert.equal(await bake('True', 'ForeignVMsStopped'), undefined);
    assert.equal(await bake('Unknown', 'ForeignVMsRunning'), undefined, 'the agent no longer reports');
  });

  test('a host that is not a builder has no bake, and GitHub is not called', async () => {
    const { runners, forge } = await buildersBench();
    const other = { ...builder, spec: undefined, node: nodeWith('True', 'ForeignVMsRunning') };
    assert.equal(await bakeOn(other, runners), undefined);
    assert.deepEqual(forge.calls, []);
  });
});
