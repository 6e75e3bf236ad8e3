import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import type { RunnerOnline } from '../../mac/builder/builder.ts';
import { installationClient } from '../testing/clients.ts';
import { exampleForge } from '../testing/example-forge.ts';
import { runnerForge } from './runner-forge.ts';

const url = 'https://github.com/acme';
const REGISTRATION = { url, name: 'mini-01', labels: ['bake'], replace: true, ephemeral: false };

test('a Mac registers, listens, carries out a job, and is gone when it stops', async t => {
  const { github, clock, journal } = await exampleForge(t);
  const { data } = await installationClient(github).rest.actions.createRegistrationTokenForOrg({ org: 'acme' });
  const baked: string[] = [];
  const forge = runnerForge(github, {
    carryOut: async (job, where) => {
      baked.push(`${job.name} on ${where.name}`);
      return 'success';
    },
  });
  const made = await forge.register({ ...REGISTRATION, token: data.token });
  assert.ok('id' in made);
  const where = { id: made.id, name: 'mini-01', url } as RunnerOnline;
  forge.online(where);
  forge.online({ ...where });
  assert.match(journal.entries.at(-1)?.detail ?? '', /already exists/);
  const job = github.queueJob({ repository: 'acme/app', labels: ['self-hosted', 'bake'], name: 'bake' });
  await clock.advance(seconds(1));
  assert.equal(job.conclusion, 'success');
  assert.deepEqual(baked, ['bake on mini-01']);
  forge.offline(where);
  await clock.settle();
  assert.equal(github.state.runners.all[0]?.online, false);
  await forge.unregister(url, made.id);
  assert.equal(github.state.runners.all.length, 0);
});

test('I27 an expired token is refused with 404 Not Found', async t => {
  const { github, clock } = await exampleForge(t);
  const { data } = await installationClient(github).rest.actions.createRegistrationTokenForOrg({ org: 'acme' });
  await clock.advance(minutes(60));
  const answer = await runnerForge(github).register({ ...REGISTRATION, token: data.token });
  assert.deepEqual(answer, { status: 404, message: 'Not Found' });
});
