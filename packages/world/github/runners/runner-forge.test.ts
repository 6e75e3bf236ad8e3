import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import type { OnlineRunner } from '../../mac/builder/image-builder.ts';
import { m1 } from '../../mac/mac.ts';
import { createTestMac } from '../../mac/testing/test-mac.ts';
import { runnerForge } from '../../runner-forge.ts';
import { installationClient } from '../testing/clients.ts';
import { exampleGithub } from '../testing/example-github.ts';

const url = 'https://github.com/acme';
const SCRIPT = `echo "$(pwd) $USER $CI $GITHUB_JOB"
pgrep -l Runner.Worker | sed 's/.* //'`;
const REGISTRATION = { url, name: 'mini-01', labels: ['bake'], replace: true, ephemeral: false, version: '2.338.0' };

test('runner on a Mac: a registered runner runs the scripts of jobs there and is offline when stopped', async t => {
  const { github, clock, journal } = await exampleGithub(t);
  const { data } = await installationClient(github).rest.actions.createRegistrationTokenForOrg({ org: 'acme' });
  const forge = runnerForge(github);
  const made = await forge.register({ ...REGISTRATION, token: data.token });
  assert.ok('id' in made);
  const { mac } = createTestMac();
  const lines: string[] = [];
  const where: OnlineRunner = {
    ...{ mac, id: made.id, name: 'mini-01', url, directory: '/Users/m1/runner', workFolder: '_work' },
    ...{ user: m1, session: 'aqua', environment: { PATH: '/usr/bin:/bin' } },
    say: line => lines.push(line),
  };
  assert.equal(forge.connect?.(where), 'connected');
  forge.online(where);
  forge.online({ ...where });
  assert.match(journal.entries.at(-1)?.detail ?? '', /already exists/);
  const job = github.queueJob({
    repository: 'acme/app',
    labels: ['self-hosted', 'bake'],
    name: 'bake',
    script: SCRIPT,
  });
  assert.equal(await job.ended, 'success');
  assert.equal(job.log, '/Users/m1/runner/_work/app/app m1 true bake\nRunner.Worker\n');
  const broken = github.queueJob({ repository: 'acme/app', labels: ['bake'], script: 'false; echo never' });
  assert.equal(await broken.ended, 'failure');
  assert.equal(broken.log, '');
  assert.match(lines.join('\n'), /: Running job: bake\n.*: Job bake completed with result: Succeeded\n/);
  forge.offline(where);
  await clock.settle();
  assert.equal(github.state.runners.all[0]?.online, false);
  await forge.unregister(url, made.id);
  assert.equal(github.state.runners.all.length, 0);
  assert.equal(forge.connect?.(where), 'deleted');
});

test('I27 an expired token is rejected with 404 Not Found', async t => {
  const { github, clock } = await exampleGithub(t);
  const { data } = await installationClient(github).rest.actions.createRegistrationTokenForOrg({ org: 'acme' });
  await clock.advance(minutes(60));
  const answer = await runnerForge(github).register({ ...REGISTRATION, token: data.token });
  assert.deepEqual(answer, { status: 404, message: 'Not Found' });
});

test('a Mac whose runner is too old to register gets the words of GitHub with status 404', async t => {
  const { github } = await exampleGithub(t);
  const { data } = await installationClient(github).rest.actions.createRegistrationTokenForOrg({ org: 'acme' });
  const answer = await runnerForge(github).register({ ...REGISTRATION, token: data.token, version: '2.328.0' });
  assert.deepEqual(answer, {
    status: 404,
    message: 'Your runner version is out of date and can no longer register with GitHub.',
  });
});
