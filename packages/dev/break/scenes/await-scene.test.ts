import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { awaitScene } from './await-scene.ts';

test('what a strike needs is looked for until it is there', async () => {
  const clock = fakeClock();
  let looks = 0;
  const scene = awaitScene({ clock, name: 'macos-1' }, 'a VM runs', async () => {
    looks += 1;
    return looks === 3 && 'the VM';
  });
  await clock.advance(seconds(5));
  assert.equal(await scene, 'the VM');
});

test('what does not come in time is named with its host and the next action', async () => {
  const clock = fakeClock();
  const scene = awaitScene({ clock, name: 'macos-1' }, 'a VM runs', async () => undefined, seconds(10));
  const refused = assert.rejects(scene, {
    code: 'SCENE_NOT_SET',
    message: /^on macos-1 it was waited in vain until a VM runs, .* see minifleet get hosts, and try again/,
  });
  await clock.advance(seconds(11));
  await refused;
});
