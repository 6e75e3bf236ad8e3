import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeClock } from '@minifleet/clock/testing';
import { pods } from '@minifleet/kube';
import { createMemoryApi } from '@minifleet/kube/testing';
import type { Stage } from '../stage.ts';
import { createScenePod } from './scene-pod.ts';

test('a Pod is gone when it is removed, whoever held it, and whoever took it away first', async () => {
  const clock = fakeClock();
  const api = createMemoryApi({ clock });
  const stage = { client: api.client, clock, name: 'mac-a', since: clock.now() } as unknown as Stage;
  const pod = await createScenePod(stage, { name: 'held', script: 'exit 0', finalizers: ['example.com/held'] });
  await pod.delete();
  assert.ok(await pod.find());
  await pod.remove();
  assert.equal(await pod.find(), undefined);
  await pod.remove();
  assert.equal((await api.client.list(pods)).items.length, 0);
});
