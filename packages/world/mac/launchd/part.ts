import type { MacPart } from '../mac-part.ts';
import { bootstrapFolder } from './domains.ts';
import { jobProgramsOf } from './job-program.ts';
import { launchctl } from './launchctl.ts';
import { launchdOf } from './launchd.ts';
import { sfltool } from './sfltool.ts';
import { cancelTimers } from './start-job.ts';

/** launchd. At boot it takes the jobs of the system and of /Library/LaunchDaemons; those of people wait for a login. */
export const launchdPart: MacPart = mac => {
  // Reloads its settings on SIGHUP and stays (facts §3.13).
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
