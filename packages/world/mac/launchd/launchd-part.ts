import type { MacPart, Program } from '../mac.ts';
import { jobProgramsOf } from './job-program.ts';
import { launchctl } from './launchctl.ts';
import { bootstrapFolder, launchdOf } from './launchd.ts';

import { cancelTimers } from './start-job.ts';

/**
 * launchd. At boot it loads the jobs of the system and of /Library/LaunchDaemons. Jobs of users are loaded at login.
 */
export const launchdPart: MacPart = mac => {
  // Reloads its settings on SIGHUP and keeps running (facts §3.13).
  jobProgramsOf(mac).set('/usr/sbin/mDNSResponder', {
    builtIn: true,
    onSignal: signal => (signal === 'SIGHUP' ? 'handled' : undefined),
  });
  const clear = (): void => {
    const launchd = launchdOf(mac);
    for (const job of launchd.jobs.values()) cancelTimers(job);
    launchd.jobs.clear();
    launchd.guiDomains.clear();
  };
  mac.onShutDown(clear);
  mac.onBoot(() => {
    clear();
    for (const folder of ['/System/Library/LaunchDaemons', '/Library/LaunchDaemons'])
      bootstrapFolder(mac, 'system', folder);
  });
  return {
    programs: {
      '/bin/launchctl': launchctl,
      '/usr/bin/sfltool': sfltool,
    },
  };
};

/**
 * Simulates /usr/bin/sfltool: prints and resets the counts of Background Task Management (that a reset restores
 * respawning is derived).
 */
const sfltool: Program = run => {
  const { registrations } = launchdOf(run.mac);
  switch (run.argv[1] ?? '') {
    case 'dumpbtm':
      for (const [label, count] of registrations)
        run.out(` #${count}:\n                 Name: ${label}\n                 Type: legacy daemon (0x10010)\n`);
      return 0;
    case 'resetbtm':
      if (run.user.uid !== 0) {
        run.err('sfltool: must be run as root\n');
        return 1;
      }
      registrations.clear();
      return 0;
    default:
      run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, run.argv.join(' '));
      run.err('usage: sfltool <command>\n');
      return 1;
  }
};
