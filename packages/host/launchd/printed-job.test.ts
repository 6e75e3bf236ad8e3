import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeLastExit, parsePrintedJob } from './printed-job.ts';

const PRINTED = `system/dev.example.agent = {
	active count = 1
	path = /Library/LaunchDaemons/dev.example.agent.plist
	type = LaunchDaemon
	state = spawn scheduled

	program = /usr/local/bin/agent
	arguments = {
		/usr/local/bin/agent
		--node-labels=a=b,c=d
	}

	stdout path = /var/log/agent.log
	stderr path = /var/log/agent.log
	default environment = {
		PATH => /usr/bin:/bin
	}

	environment = {
		HOME => /Users/m1
		XPC_SERVICE_NAME => dev.example.agent
	}

	domain = system
	username = m1
	runs = 12
	successive crashes = 3
	last terminating signal = Killed: 9
	last exit reason = OS_REASON_CODESIGNING

	jetsam coalition = {
		ID = 1235
		state = active
		pid = 1
	}

	properties = keepalive | runatload | inferred program
}
`;

test('launchctl print is parsed one level deep, without coalitions', () => {
  assert.deepEqual(parsePrintedJob(PRINTED), {
    state: 'spawn scheduled',
    pid: undefined,
    runs: 12,
    arguments: ['/usr/local/bin/agent', '--node-labels=a=b,c=d'],
    environment: { HOME: '/Users/m1', XPC_SERVICE_NAME: 'dev.example.agent' },
    user: 'm1',
    logFile: '/var/log/agent.log',
    keepAlive: true,
    lastExit: { code: undefined, signal: 'Killed: 9', reason: 'OS_REASON_CODESIGNING' },
  });
});

test('the output for an unknown launchd job is no job', () => {
  assert.equal(parsePrintedJob(''), undefined);
  assert.equal(parsePrintedJob('Bad request.\n'), undefined);
});

test('the last exit of a job is described', () => {
  const ended = { code: undefined, signal: undefined, reason: undefined };
  assert.match(
    describeLastExit({ ...ended, reason: 'OS_REASON_CODESIGNING | Launch Constraint Violation' }),
    /signature/,
  );
  assert.match(describeLastExit({ ...ended, reason: 'OS_REASON_JETSAM' }), /terminated it \(OS_REASON_JETSAM\)/);
  assert.match(describeLastExit({ ...ended, code: '78: EX_CONFIG' }), /could not start it/);
  assert.equal(describeLastExit({ ...ended, code: '3' }), 'it exited with code 3');
  assert.equal(describeLastExit({ ...ended, signal: 'Killed: 9' }), 'it was terminated by a signal (Killed: 9)');
  assert.equal(describeLastExit(ended), 'it has never exited');
});
