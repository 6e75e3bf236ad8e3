import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { interruptions } from '../interrupting-transport.ts';
import { commandsOf, killAnywhere } from './kill-anywhere.ts';
import { commandsOn, type PlanKill, recovered } from './killed-anywhere-page.ts';
import { withRoles } from './roles.ts';

const PAGE = 'docs/proofs/killed-anywhere.md';
const BUILDER_STEPS = ['homebrew', 'builder-tools', 'xcode', 'build-cache', 'actions-runner'];

/** Selects one interruption for each command, in rotation. All of them take minutes, and the page has their results. */
const inRotation = ({ command, how }: Pick<PlanKill, 'command' | 'how'>): boolean =>
  interruptions[command % interruptions.length] === how;

test('a node killed at every command of its plan converges, and a third run changes nothing', async () => {
  const kills = await withRoles(async ([node]) => (node ? killAnywhere(node, { at: inRotation }) : []));
  assert.ok(kills.length > 60, `${kills.length} kills`);
  assert.deepEqual(new Set(kills.map(({ how }) => how)), new Set(interruptions));
  assert.deepEqual(
    kills.filter(kill => !recovered(kill)),
    [],
  );
});

test('a builder killed at every command of its own steps converges, and a third run changes nothing', async () => {
  const kills = await withRoles(async ([, builder]) =>
    builder ? killAnywhere(builder, { at: kill => BUILDER_STEPS.includes(kill.step) && inRotation(kill) }) : [],
  );
  assert.deepEqual(new Set(kills.map(({ step }) => step)), new Set(BUILDER_STEPS));
  assert.deepEqual(
    kills.filter(kill => !recovered(kill)),
    [],
  );
});

test('the killed-anywhere page lists every command of both plans as recovered', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const now = await withRoles(async roles => (await Promise.all(roles.map(commandsOf))).flat());
  assert.deepEqual(commandsOn(page).sort(), now.sort(), 'run: npm run proofs -- killed-anywhere');
  const [, kills, recoveredKills] = /^(\d+) kills, (\d+) recovered\.$/m.exec(page) ?? [];
  assert.equal(recoveredKills, kills);
  assert.match(page, /## Exceptions\n\nNone\.\n/);
});
