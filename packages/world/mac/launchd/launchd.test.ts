import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pause, seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { m1, root } from '../mac.ts';
import { plist } from '../testing/plist.ts';
import { type SmallMac, smallMac } from '../testing/small-mac.ts';
import { exitsAfter, jobProgramsOf, realProgram } from './job-program.ts';
import { launchdOf, openGuiDomain } from './launchd.ts';

import { launchdPart } from './launchd-part.ts';

const LABEL = 'dev.example.agent';
const PATH = `/Library/LaunchDaemons/${LABEL}.plist`;
const BINARY = '/usr/local/bin/agent';
const KEPT = { RunAtLoad: true, KeepAlive: true, ThrottleInterval: 10 };

function host(keys: Readonly<Record<string, unknown>> = KEPT): SmallMac {
  const small = smallMac([launchdPart]);
  const { files } = small.mac;
  files.makeDirectory(root, '/usr/local/bin', { parents: true });
  files.write(root, BINARY, Buffer.from([0xcf, 0xfa, 0xed, 0xfe, 0, 1]), { mode: 0o755 });
  files.write(root, PATH, plist({ Label: LABEL, ProgramArguments: [BINARY, '--flag'], ...keys }));
  return small;
}

const print = async (small: SmallMac): Promise<string> =>
  (await small.run(['launchctl', 'print', `system/${LABEL}`])).out;
const pid = async (small: SmallMac): Promise<string | undefined> => /pid = (\d+)/.exec(await print(small))?.[1];
const bootstrap = (small: SmallMac): ReturnType<SmallMac['run']> =>
  small.run(['launchctl', 'bootstrap', 'system', PATH]);
const bootout = (small: SmallMac): ReturnType<SmallMac['run']> =>
  small.run(['launchctl', 'bootout', `system/${LABEL}`]);

test('a bootstrapped job runs, and launchctl print has the format scripts parse', async () => {
  const small = host();
  assert.deepEqual(await bootstrap(small), { code: 0, out: '', err: '' });
  const text = await print(small);
  assert.match(text, /^system\/dev\.example\.agent = \{$/m);
  assert.match(text, /^\tstate = running$/m);
  assert.match(text, /^\tpid = \d+$/m);
  assert.match(text, /^\truns = 1$/m);
  assert.match(text, /^\tlast exit code = \(never exited\)$/m);
  small.close();
});

test('launchctl print of an unknown job exits with 113, bootout with 3', async () => {
  const small = host();
  const printed = await small.run(['launchctl', 'print', 'system/none']);
  assert.deepEqual(printed, {
    code: 113,
    out: '',
    err: 'Bad request.\nCould not find service "none" in domain for system\n',
  });
  assert.deepEqual(await bootout(small), { code: 3, out: '', err: 'Boot-out failed: 3: No such process\n' });
  small.close();
});

test('KeepAlive restarts a job after the throttle interval', async () => {
  const small = host();
  await bootstrap(small);
  const first = await pid(small);
  await small.run(['launchctl', 'kill', 'SIGTERM', `system/${LABEL}`]);
  await small.clock.settle();
  assert.match(await print(small), /state = spawn scheduled[\s\S]*last terminating signal = Terminated: 15/);
  await small.clock.advance(seconds(9));
  assert.equal(await pid(small), undefined);
  await small.clock.advance(seconds(2));
  assert.notEqual(await pid(small), first);
  small.close();
});

test('I17 bootout returns before the job is gone: an immediate bootstrap fails, a later one succeeds', async () => {
  const small = host();
  await bootstrap(small);
  assert.equal((await bootout(small)).code, 0);
  const raced = await bootstrap(small);
  assert.deepEqual(raced, { code: 37, out: '', err: 'Bootstrap failed: 37: Operation already in progress\n' });
  await small.clock.advance(seconds(1));
  assert.equal((await bootstrap(small)).code, 0);
  small.close();
});

test('I17 past the registration cap, KeepAlive is ignored but kickstart still starts the job', async () => {
  const small = host();
  for (let roll = 0; roll <= 10; roll++) {
    await bootstrap(small);
    await small.clock.advance(seconds(11));
    if (roll < 10) await bootout(small);
    await small.clock.advance(seconds(1));
  }
  await small.run(['launchctl', 'kill', '15', `system/${LABEL}`]);
  await small.clock.advance(seconds(60));
  assert.match(await print(small), /state = not running/);
  assert.equal((await small.run(['launchctl', 'kickstart', '-k', `system/${LABEL}`])).code, 0);
  assert.match(await print(small), /state = running/);
  small.close();
});

test('I17 kickstart restarts a job with a new pid and without a registration, and KeepAlive still works', async () => {
  const small = host();
  await bootstrap(small);
  for (let roll = 0; roll < 20; roll++) {
    const before = await pid(small);
    assert.equal((await small.run(['launchctl', 'kickstart', '-k', `system/${LABEL}`])).code, 0);
    assert.notEqual(await pid(small), before);
  }
  assert.equal(launchdOf(small.mac).registrations.get(LABEL), 1);
  await small.run(['launchctl', 'kill', '15', `system/${LABEL}`]);
  await small.clock.advance(seconds(11));
  assert.match(await print(small), /state = running/);
  small.close();
});

test('I18 kickstart can report success without a restart; only the pid shows it', async () => {
  const small = host();
  await bootstrap(small);
  const before = await pid(small);
  small.mac.around.faults.add({
    kind: 'process',
    detail: `kickstart ${LABEL}`,
    fault: { type: 'drop', when: 'before' },
  });
  assert.equal((await small.run(['launchctl', 'kickstart', '-k', `system/${LABEL}`])).code, 0);
  assert.equal(await pid(small), before);
  small.close();
});

test('kickstart does not reload the property list', async () => {
  const small = host();
  await bootstrap(small);
  small.mac.files.write(root, PATH, plist({ Label: LABEL, ProgramArguments: [BINARY, '--other'], ...KEPT }));
  await small.run(['launchctl', 'kickstart', '-k', `system/${LABEL}`]);
  assert.match(await print(small), /\t--flag\n/);
  small.close();
});

test('bootstrap rejects a property list that is writable by others or malformed', async () => {
  const small = host();
  small.mac.files.chmod(root, PATH, 0o664);
  assert.match((await bootstrap(small)).err, /Path had bad ownership\/permissions\n.*Bootstrap failed: 122/);
  small.mac.files.chmod(root, PATH, 0o644);
  small.mac.files.chown(root, PATH, m1.uid, m1.gid);
  assert.equal((await bootstrap(small)).code, 122);
  small.mac.files.chown(root, PATH, 0, 0);
  small.mac.files.write(root, PATH, plist({ Label: LABEL, ProgramArguments: [BINARY] }).replace(BINARY, 'a & b'));
  assert.deepEqual(await bootstrap(small), {
    code: 109,
    out: '',
    err: 'Bootstrap failed: 109: Invalid property list\n',
  });
  small.close();
});

test('a job whose program or log cannot be opened exits with EX_CONFIG and is retried', async () => {
  const small = host({ ...KEPT, UserName: 'm1', StandardOutPath: '/var/log/agent.log' });
  await bootstrap(small);
  assert.match(await print(small), /state = spawn scheduled[\s\S]*last exit code = 78: EX_CONFIG/);
  small.mac.files.write(root, '/var/log/agent.log', '');
  small.mac.files.chown(root, '/var/log/agent.log', m1.uid, m1.gid);
  await small.clock.advance(seconds(11));
  assert.match(await print(small), /state = running/);
  small.mac.files.remove(root, BINARY);
  await small.run(['launchctl', 'kickstart', '-k', `system/${LABEL}`]);
  assert.match(await print(small), /last exit code = 78: EX_CONFIG/);
  small.close();
});

test('a disabled job cannot be bootstrapped until it is enabled', async () => {
  const small = host();
  await small.run(['launchctl', 'disable', `system/${LABEL}`]);
  assert.equal((await bootstrap(small)).err, 'Bootstrap failed: 119: Service is disabled\n');
  assert.match((await small.run(['launchctl', 'print-disabled', 'system'])).out, /"dev\.example\.agent" => disabled/);
  await small.run(['launchctl', 'enable', `system/${LABEL}`]);
  assert.equal((await bootstrap(small)).code, 0);
  small.close();
});

test('the gui domain does not exist before a user logs in', async () => {
  const small = host();
  const agent = '/Users/m1/Library/LaunchAgents/runner.plist';
  small.mac.files.write(m1, agent, plist({ Label: 'runner', ProgramArguments: [BINARY], RunAtLoad: true }));
  const early = await small.run(['launchctl', 'bootstrap', 'gui/501', agent]);
  assert.equal(early.err, 'Bootstrap failed: 125: Domain does not support specified action\n');
  assert.equal((await small.run(['launchctl', 'print', 'gui/501'])).code, 125);
  openGuiDomain(small.mac, m1, 150);
  assert.match((await small.run(['launchctl', 'print', 'gui/501'])).out, /^\tsession = Aqua$/m);
  assert.match((await small.run(['launchctl', 'print', 'gui/501/runner'])).out, /state = running/);
  small.close();
});

test('I24 the legacy load of an agent fails over SSH; bootstrap into gui/<uid> works', async () => {
  const small = host();
  openGuiDomain(small.mac, m1, 150);
  const agent = '/Users/m1/Library/LaunchAgents/runner.plist';
  small.mac.files.write(m1, agent, plist({ Label: 'runner', ProgramArguments: [BINARY], RunAtLoad: true }));
  const loaded = await small.run(['launchctl', 'load', '-w', agent], { user: m1 });
  assert.equal(loaded.code, 5);
  assert.match(loaded.err, /^Load failed: 5: Input\/output error$/m);
  assert.equal((await small.run(['launchctl', 'bootstrap', 'gui/501', agent])).code, 0);
  assert.equal((await small.run(['launchctl', 'list', 'runner'], { user: m1 })).code, 113);
  assert.equal((await small.run(['launchctl', 'list', 'runner'], { user: m1, session: 'aqua' })).code, 0);
  small.close();
});

test('after a reboot, only the jobs of /Library/LaunchDaemons are loaded', async () => {
  const small = host();
  small.mac.files.write(root, '/tmp/other.plist', plist({ Label: 'other', ProgramArguments: [BINARY] }));
  await small.run(['launchctl', 'bootstrap', 'system', '/tmp/other.plist']);
  const rebooted = small.mac.reboot();
  await small.clock.advance(seconds(40));
  await rebooted;
  assert.match(await print(small), /state = running/);
  assert.equal((await small.run(['launchctl', 'print', 'system/other'])).code, 113);
  small.close();
  assert.equal(small.clock.pending, 0);
});

test('KeepAlive with SuccessfulExit false restarts only failed jobs', async () => {
  const small = host({ RunAtLoad: true, KeepAlive: { SuccessfulExit: false } });
  jobProgramsOf(small.mac).set(BINARY, exitsAfter(seconds(1), 0));
  await bootstrap(small);
  await small.clock.advance(seconds(30));
  assert.match(await print(small), /state = not running[\s\S]*runs = 1\n\tlast exit code = 0/);
  jobProgramsOf(small.mac).set(BINARY, exitsAfter(seconds(1), 3));
  await small.run(['launchctl', 'kickstart', `system/${LABEL}`]);
  await small.clock.advance(seconds(30));
  assert.match(await print(small), /runs = [45]/);
  small.close();
});

test('StartInterval starts a job periodically', async () => {
  const small = host({ StartInterval: 60 });
  jobProgramsOf(small.mac).set(BINARY, exitsAfter(seconds(1), 0));
  await bootstrap(small);
  await small.clock.advance(seconds(181));
  assert.match(await print(small), /runs = 3/);
  small.close();
});

test('a real program can run as a job: its output is in the log, and it dies with the job', async () => {
  const log = '/var/log/agent.log';
  const small = host({ ...KEPT, StandardOutPath: log, StandardErrorPath: log, EnvironmentVariables: { WHO: 'agent' } });
  const script = 'console.log(process.argv[1], process.env.WHO); setInterval(() => {}, 1000)';
  jobProgramsOf(small.mac).set(
    BINARY,
    realProgram(start => ({
      file: process.execPath,
      arguments: ['-e', script, '--', ...start.argv.slice(1)],
      environment: start.environment,
    })),
  );
  await bootstrap(small);
  await eventually(() => small.mac.files.read(root, log).toString() === '--flag agent\n');
  const job = launchdOf(small.mac).jobs.get(`system/${LABEL}`)?.process;
  await bootout(small);
  assert.deepEqual(await job?.exited, { signal: 'SIGTERM' });
  small.close();
});

test('launchctl asuser runs a command in the session at the screen, if there is one', async () => {
  const small = host();
  small.mac.install('/usr/local/bin/where', run => {
    run.out(run.session);
    return 0;
  });
  const asUser = ['launchctl', 'asuser', '501', '/usr/local/bin/where'];
  assert.equal((await small.run(asUser)).out, 'ssh');
  openGuiDomain(small.mac, m1, 150);
  assert.equal((await small.run(asUser)).out, 'aqua');
  assert.equal((await small.run(['launchctl', 'bootout', 'gui/501'])).code, 0);
  assert.equal((await small.run(['launchctl', 'print', 'gui/501'])).code, 125);
  small.close();
});

test('a fault can fail, hang or delay the start of a job', async () => {
  const small = host({ RunAtLoad: true });
  const { faults } = small.mac.around;
  faults.add({ detail: `launchd ${LABEL}`, fault: { type: 'fail', code: 9, message: '' }, times: 1 });
  faults.add({ detail: `launchd ${LABEL}`, fault: { type: 'delay', by: seconds(5) }, times: 1 });
  await bootstrap(small);
  await small.clock.settle();
  assert.match(await print(small), /last exit code = 9/);
  await small.run(['launchctl', 'kickstart', `system/${LABEL}`]);
  assert.match(await print(small), /state = spawn scheduled/);
  await small.clock.advance(seconds(6));
  assert.match(await print(small), /state = running/);
  small.close();
});

test('a job keeps writing to a renamed log until it is restarted', async () => {
  const log = '/var/log/agent.log';
  const small = host({ ...KEPT, StandardOutPath: log });
  jobProgramsOf(small.mac).set(BINARY, {
    body: async (start, process) => {
      while (!process.signal.aborted) {
        start.out('tick\n');
        await pause(small.clock, seconds(10), process.signal);
      }
      return 0;
    },
  });
  await bootstrap(small);
  small.mac.files.rename(root, log, `${log}.1`);
  await small.clock.advance(seconds(20));
  assert.equal(small.mac.files.read(root, `${log}.1`).toString(), 'tick\ntick\ntick\n');
  assert.equal(small.mac.files.exists(root, log), false);
  await small.run(['launchctl', 'kickstart', '-k', `system/${LABEL}`]);
  assert.equal(small.mac.files.read(root, log).toString(), 'tick\n');
  small.close();
});
