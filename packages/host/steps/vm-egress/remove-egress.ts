import type { Host } from '../../host.ts';
import { removeDaemon } from '../../launchd/daemon-script.ts';
import { requireAccepted, writeConf } from './accept-conf.ts';
import { unloadRules } from './load-rules.ts';
import { observe } from './observe.ts';
import { holdsOurs, withoutBlock } from './pf-conf.ts';
import { JOB, JOB_LOG, LOADER, RULES_FILE } from './places.ts';

/**
 * Takes the filter off; returns what was done. The job goes first, it would load the rules again; the file of the rules
 * goes after the block that loads it, or pf would refuse all of pf.conf at boot.
 */
export async function removeEgress(host: Host): Promise<readonly string[]> {
  const seen = await observe(host, '');
  const { conf: before = '' } = seen;
  const conf = holdsOurs(before) ? withoutBlock(before) : before;
  if (conf !== before) await requireAccepted(host, seen, conf);
  await removeDaemon(host, JOB, [LOADER, JOB_LOG]);
  const notes = [...(await writeConf(host, seen, conf)), ...(await unloadRules(host))];
  await host.remove(RULES_FILE);
  return [...notes, 'took the filter of the guests off'];
}
