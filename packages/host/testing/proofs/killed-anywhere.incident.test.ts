import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { partings } from '../mortal-transport.ts';
import { commandsOf, killAnywhere } from './kill-anywhere.ts';
import { commandsOn, type Kill, survived } from './killed-anywhere-page.ts';
import { withRoles } from './roles.ts';

const PAGE = 'docs/proofs/killed-anywhere.md';
const OF_A_BUILDER = ['homebrew', 'builder-tools', 'xcode', 'build-cache', 'actions-runner'];

/** Every command meets one way, each way in turn: all of them at every command take minutes, and are on the page. */
const inTurn = ({ command, how }: Pick<Kill, 'command' | 'how'>): boolean =>
  partings[command % partings.length] === how;

test('a node killed at every command of its plan converges, and a third run changes nothing', async () => {
  const kills = await withRoles(async ([node]) => (node ? killAnywhere(node, { at: inTurn }) : []));
  assert.ok(kills.length > 60, `${kills.length} kills`);
  assert.deepEqual(new Set(kills.map(({ how }) => how)), new Set(partings));
  assert.deepEqual(
    kills.filter(kill => !survived(kill)),
    [],
  );
});

test('a builder killed at every command of its own steps converges, and a third run changes nothing', async () => {
  const kills = await withRoles(async ([, builder]) =>
    builder ? killAnywhere(builder, { at: kill => OF_A_BUILDER.includes(kill.step) && inTurn(kill) }) : [],
  );
  assert.deepEqual(new Set(kills.map(({ step }) => step)), new Set(OF_A_BUILDER));
  assert.deepEqual(
    kills.filter(kill => !survived(kill)),
    [],
  );
});

test('the killed-anywhere page lists every command of both plans as survived', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const now = await withRoles(async roles => (await Promise.all(roles.map(commandsOf))).flat());
  assert.deepEqual(commandsOn(page).sort(), now.sort(), 'run: npm run proofs -- killed-anywhere');
  const [, kills, whole] = /^(\d+) kills, (\d+) survived\.$/m.exec(page) ?? [];
  assert.equal(whole, kills);
  assert.match(page, /## Exceptions\n\nNone\.\n/);
});
