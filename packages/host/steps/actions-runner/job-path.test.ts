import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute, m1, root, tartArchive, tartPart } from '@minifleet/world/mac';
import { brew, installHomebrew } from '@minifleet/world/testing';
import { planStep } from '../../engine/step.ts';
import { passTime } from '../../testing/index.ts';
import { tart } from '../tart/tart.ts';
import { actionsRunner } from './actions-runner.ts';
import { DIRECTORY } from './runner-state.ts';
import { artifactOf } from './testing/artifact.ts';
import { converge, runnerHost, runnerWant } from './testing/runner-host.ts';

test('a job uses the pinned Tart on a Mac where brew install tart was run once, and the Packer of Homebrew', async () => {
  const given = runnerHost({ parts: [tartPart('/nonexistent')] });
  const { mac } = given;
  installHomebrew(mac, brew);
  for (const name of ['tart', 'packer'])
    mac.install(`/opt/homebrew/bin/${name}`, run => {
      run.out(`${name} of Homebrew\n`);
      return 0;
    });
  const archive = artifactOf('tart.tar.gz', tartArchive('2.32.1'));
  await converge(given, planStep(tart, { version: '2.32.1', archive }));
  await converge(given, planStep(actionsRunner, runnerWant()));
  const jobPath = mac.files.read(root, `${DIRECTORY}/.path`).toString().trim();
  const asJob = async (command: string): Promise<string> =>
    (await passTime(given.clock, execute(mac, `PATH=${jobPath}; ${command}`, { user: m1 }))).out;
  assert.equal(await asJob('tart --version'), '2.32.1\n');
  assert.equal(await asJob('packer version'), 'packer of Homebrew\n');
  assert.deepEqual(given.journal.gaps, []);
});
