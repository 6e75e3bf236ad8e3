import type { Mac } from '../mac.ts';
import { processesOf } from '../processes/process-table.ts';
import { root, type User } from '../user.ts';
import { bootstrap } from './bootstrap.ts';
import { type DomainName, launchdOf } from './launchd.ts';
import { LaunchdError } from './launchd-error.ts';
import { cancelTimers, startJob } from './start-job.ts';

/** Takes every property list of a folder; one that is refused is skipped, as at a real boot. */
export function bootstrapFolder(mac: Mac, domain: DomainName, folder: string): void {
  if (!mac.files.exists(root, folder)) return;
  for (const name of mac.files.list(root, folder).filter(file => file.endsWith('.plist'))) {
    const path = `${folder}/${name}`;
    try {
      const job = bootstrap(mac, { domain, path, byHand: false });
      // The system's own daemons start on demand; those without a socket are taken to be demanded at once.
      if (path.startsWith('/System/') && !job.definition.sockets) startJob(mac, job);
    } catch (error) {
      if (!(error instanceof LaunchdError)) throw error;
      mac.around.journal.add(`mac/${mac.options.name}`, 'launchd skipped', `${path}: ${error.message}`);
    }
  }
}

/** Someone is logged in at the screen: their domain exists, and their agents start. */
export function openGuiDomain(mac: Mac, user: User, creator: number): void {
  const { guiDomains } = launchdOf(mac);
  if (guiDomains.has(user.uid)) return;
  guiDomains.set(user.uid, { user, creator, handle: 100_000 + creator });
  mac.around.journal.add(`mac/${mac.options.name}`, 'aqua session', user.name);
  for (const folder of ['/Library/LaunchAgents', `${user.home}/Library/LaunchAgents`])
    bootstrapFolder(mac, `gui/${user.uid}`, folder);
}

/** The session is over: its jobs end at once. */
export function closeGuiDomain(mac: Mac, uid: number): void {
  const launchd = launchdOf(mac);
  if (!launchd.guiDomains.delete(uid)) return;
  mac.around.journal.add(`mac/${mac.options.name}`, 'aqua session over', String(uid));
  for (const [key, job] of launchd.jobs) {
    if (job.domain !== `gui/${uid}`) continue;
    launchd.jobs.delete(key);
    cancelTimers(job);
    job.leaving = true;
    if (job.process) processesOf(mac).signal(job.process.pid, 'SIGTERM');
  }
}
