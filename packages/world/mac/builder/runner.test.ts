import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { openGuiDomain } from '../launchd/launchd.ts';
import { launchdPart } from '../launchd/launchd-part.ts';
import { m1, root } from '../mac.ts';
import { processesOf } from '../processes/process-table.ts';
import { type CommandOptions, type CommandResult, type SmallMac, smallMac } from '../testing/small-mac.ts';
import { builderPart } from './builder-part.ts';
import { builderOf, type ConnectionResult, type RegistrationRequest } from './image-builder.ts';
import { unpackRunner } from './runner-state.ts';

const HOME = '/opt/actions-runner';
const LABEL = 'actions.runner.acme.mini-01';
const AGENT = `/Users/m1/Library/LaunchAgents/${LABEL}.plist`;
const CONFIG = [
  './config.sh',
  '--url',
  'https://github.com/acme',
  '--name',
  'mini-01',
  '--labels',
  'bake',
  '--unattended',
  '--replace',
];

interface RunnerHost extends SmallMac {
  readonly registered: RegistrationRequest[];
  readonly events: string[];
}

function host(): RunnerHost {
  const small = smallMac([launchdPart, builderPart]);
  small.mac.files.makeDirectory(root, HOME, { parents: true });
  small.mac.files.chown(root, HOME, m1.uid, m1.gid);
  unpackRunner(small.mac, HOME, m1);
  const registered: RegistrationRequest[] = [];
  const events: string[] = [];
  builderOf(small.mac).forge = {
    register: async registration => {
      if (registration.token !== 'good') return { status: 404, message: 'Not Found' };
      registered.push(registration);
      return { id: 7 };
    },
    unregister: async () => undefined,
    online: ({ name, session }) => events.push(`${name} online in ${session}`),
    offline: ({ name }) => events.push(`${name} offline`),
  };
  return { ...small, registered, events };
}

async function runner(small: SmallMac, argv: readonly string[], how: CommandOptions = {}): Promise<CommandResult> {
  const running = small.run(argv, { user: m1, directory: HOME, ...how });
  await small.clock.advance(seconds(5));
  return running;
}

test('config.sh with a valid token registers the runner and writes its files', async () => {
  const small = host();
  assert.equal((await runner(small, [...CONFIG, '--token', 'good'])).code, 0);
  assert.deepEqual(small.registered[0]?.labels, ['bake']);
  for (const file of ['.runner', '.credentials', '.credentials_rsaparams', '.path', 'svc.sh'])
    assert.ok(small.mac.files.exists(m1, `${HOME}/${file}`), file);
  assert.match((await runner(small, [...CONFIG, '--token', 'good'])).err, /already configured/);
  assert.equal((await runner(small, CONFIG, { user: root })).err, 'Must not run with sudo\n');
  small.close();
});

test('I27 an invalid token fails with the runner’s message; a token in the arguments is visible to all', async () => {
  const small = host();
  const failing = small.run([...CONFIG, '--token', 'canary'], { user: m1, directory: HOME });
  await small.clock.settle();
  const seen = processesOf(small.mac).find('Runner.Listener');
  assert.ok(seen[0]?.argv.includes('canary'));
  await small.clock.advance(seconds(5));
  const failed = await failing;
  assert.equal(failed.code, 1);
  assert.match(failed.err, /Response status code does not indicate success: 404 \(Not Found\)\./);
  assert.equal(small.mac.files.exists(m1, `${HOME}/.runner`), false);
  small.close();
});

test('I27 a token in the environment is not visible to other users; the prompt for it needs a terminal', async () => {
  const small = host();
  const attended = CONFIG.filter(word => word !== '--unattended');
  const piped = await runner(small, attended, { stdin: 'good\n' });
  assert.equal(piped.code, 1);
  assert.match(piped.err, /console input has been redirected/);
  const configuring = small.run(CONFIG, {
    user: m1,
    directory: HOME,
    environment: { ACTIONS_RUNNER_INPUT_TOKEN: 'good' },
  });
  await small.clock.settle();
  assert.equal(
    processesOf(small.mac)
      .find()
      .some(({ argv }) => argv.includes('good')),
    false,
  );
  await small.clock.advance(seconds(5));
  assert.equal((await configuring).code, 0);
  small.close();
});

test('config.sh remove requires a removal token and an uninstalled service', async () => {
  const small = host();
  await runner(small, [...CONFIG, '--token', 'good']);
  assert.match((await runner(small, ['./config.sh', 'remove', '--unattended'])).err, /Invalid configuration provided/);
  await runner(small, ['./svc.sh', 'install', 'm1']);
  assert.match((await runner(small, ['./config.sh', 'remove', '--token', 'gone'])).err, /Unconfigure service first/);
  small.mac.files.remove(m1, `${HOME}/.service`);
  assert.equal((await runner(small, ['./config.sh', 'remove', '--token', 'gone'])).code, 0);
  assert.equal(small.mac.files.exists(m1, `${HOME}/.runner`), false);
  small.close();
});

test('the runner service prints its PATH, waits for GitHub and stops when its registration is deleted', async () => {
  const small = host();
  openGuiDomain(small.mac, m1, 150);
  await runner(small, [...CONFIG, '--token', 'good', '--disableupdate']);
  await runner(small, ['./svc.sh', 'install', 'm1']);
  const { forge } = builderOf(small.mac);
  let answer: ConnectionResult = { unreachable: 'nodename nor servname provided' };
  assert.ok(forge);
  builderOf(small.mac).forge = { ...forge, connect: () => answer };
  await small.run(['launchctl', 'bootstrap', 'gui/501', AGENT]);
  await small.clock.advance(seconds(2));
  const log = (): string => small.mac.files.read(root, `/Users/m1/Library/Logs/${LABEL}/stdout.log`).toString();
  assert.match(log(), /^\.path=\/usr\/bin:[\s\S]*Runner connect error: nodename nor servname provided\. Retrying/);
  answer = 'connected';
  await small.clock.advance(seconds(30));
  assert.match(log(), /Runner reconnected\.\nCurrent runner version: '2\.330\.0'\n.*: Listening for Jobs\n$/);
  answer = 'deleted';
  await small.run(['launchctl', 'kickstart', '-k', `gui/501/${LABEL}`]);
  await small.clock.advance(seconds(2));
  assert.match(log(), /registration has been deleted[\s\S]*stop the service, no retry needed\.\n$/);
  assert.match((await small.run(['launchctl', 'print', `gui/501/${LABEL}`])).out, /state = not running/);
  small.close();
});

test('I24 svc.sh start fails over SSH; bootstrap into the session at the screen brings the runner online', async () => {
  const small = host();
  openGuiDomain(small.mac, m1, 150);
  await runner(small, [...CONFIG, '--token', 'good']);
  assert.equal((await runner(small, ['./svc.sh', 'install', 'm1'])).code, 0);
  const started = await runner(small, ['./svc.sh', 'start']);
  assert.equal(started.code, 1);
  assert.match(started.err, new RegExp(`^Failed: failed to load ${AGENT}$`, 'm'));
  assert.deepEqual(small.events, []);
  assert.deepEqual(await small.run(['launchctl', 'bootstrap', 'gui/501', AGENT]), { code: 0, out: '', err: '' });
  await small.clock.advance(seconds(2));
  assert.deepEqual(small.events, ['mini-01 online in aqua']);
  assert.equal((await small.run(['launchctl', 'kickstart', '-k', `gui/501/${LABEL}`])).code, 0);
  await small.clock.advance(seconds(2));
  assert.deepEqual(small.events.slice(1), ['mini-01 offline', 'mini-01 online in aqua']);
  assert.deepEqual(small.journal.gaps, []);
  small.close();
});
