import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { FORGE_BUSY } from '../errors.ts';
import { testForge } from './forge.contract.ts';
import { memoryForge } from './memory-forge.ts';

const FAULTS = {
  lost: { when: 'after' },
  down: { when: 'before', times: Number.POSITIVE_INFINITY },
  hang: { when: 'hang' },
} as const;

testForge({
  name: 'memory',
  open: async () => {
    const clock = fakeClock();
    const forge = memoryForge({ clock, groups: ['macs'] });
    return {
      forge,
      group: 'macs',
      now: () => clock.now(),
      register: (token, name, labels) => void forge.register(token, { name, labels }),
      start: configuration => void forge.start(configuration),
      disconnect: forge.disconnect,
      takeJob: async name => forge.takeJob(name),
      finishJob: forge.finishJob,
      announce: (version, endsAt) => void forge.versions.set(version, { endsAt }),
      strike: (call, fault) => forge.failNext({ call, ...FAULTS[fault] }),
      heal: forge.heal,
      secrets: () => ['registration-1', 'configuration-1'],
      close: async () => undefined,
    };
  },
});

test('the memory forge records every call, also failed ones', async () => {
  const forge = memoryForge({ runners: [{ name: 'mini-01' }] });
  forge.failNext({ call: 'remove', when: 'before', error: FORGE_BUSY({ forge: 'memory', call: 'remove' }) });
  await forge.runner('mini-01');
  await assert.rejects(forge.remove(1), { code: 'FORGE_BUSY' });
  await forge.runners();
  assert.deepEqual(forge.calls, [
    { call: 'runner', runner: 'mini-01' },
    { call: 'remove', id: 1 },
    { call: 'runners' },
  ]);
  assert.equal(forge.find('mini-01').state, 'online');
});

test('a registration token of the memory forge expires after an hour', async () => {
  const clock = fakeClock();
  const forge = memoryForge({ clock });
  const { token } = await forge.registrationToken();
  await clock.advance(minutes(60));
  assert.throws(() => forge.register(token, { name: 'mini-01', labels: [] }));
});

test('the memory forge lets others act between a call and its effect', async () => {
  const forge = memoryForge({ runners: [{ name: 'mini-01' }], onCall: () => forge.takeJob('mini-01') });
  assert.equal(await forge.remove(1), 'busy');
});
