import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pause, seconds } from '@minifleet/clock';
import { root } from '../mac.ts';
import { plist } from '../testing/plist.ts';
import { smallMac } from '../testing/small-mac.ts';
import { jobProgramsOf } from './job-program.ts';
import { launchdPart } from './launchd-part.ts';

test('a job appends to its log, also after the log was truncated in place', async () => {
  const small = smallMac([launchdPart]);
  const { files } = small.mac;
  const keys = {
    Label: 'agent',
    ProgramArguments: ['/opt/agent'],
    RunAtLoad: true,
    StandardOutPath: '/var/log/agent.log',
  };
  files.write(root, '/Library/LaunchDaemons/agent.plist', plist(keys));
  jobProgramsOf(small.mac).set('/opt/agent', {
    builtIn: true,
    body: async (start, process) => {
      for (let count = 1; !process.signal.aborted; count++) {
        start.out(`tick ${count}\n`);
        await pause(small.clock, seconds(10), process.signal);
      }
      return 0;
    },
  });
  await small.run(['launchctl', 'bootstrap', 'system', '/Library/LaunchDaemons/agent.plist']);
  await small.clock.advance(seconds(15));
  const { inode } = files.stat(root, '/var/log/agent.log');
  await small.run(['/bin/sh', '-c', ': >/var/log/agent.log']);
  await small.clock.advance(seconds(10));
  assert.equal(files.read(root, '/var/log/agent.log').toString(), 'tick 3\n');
  assert.equal(files.stat(root, '/var/log/agent.log').inode, inode);
  small.close();
});
