import type { Host } from '../../host.ts';
import { requireAccepted, writeConf } from './accept-conf.ts';
import { keepJob } from './egress-job.ts';
import { loadRules } from './load-rules.ts';
import { type Observed, observe, type Seen } from './observe.ts';
import { withOneBlock } from './pf-conf.ts';
import { PF_CONF } from './places.ts';
import { fileDifferences, lostReferences, mustReload } from './vm-egress-differences.ts';
import type { Wanted, WantedFile } from './wanted-files.ts';

/**
 * Brings a host to the wanted filter; returns what was done. In this order, so that a host on which it ends anywhere is
 * better off than before: the rules lie there before pf.conf loads them (a missing file refuses all of pf.conf at boot),
 * guests are filtered before anything is made to last.
 */
export async function installEgress(host: Host, wanted: Wanted): Promise<readonly string[]> {
  const seen = await observe(host, wanted.rules.text);
  const conf = withOneBlock(seen.conf ?? '');
  await requireAccepted(host, seen, conf);
  return [
    ...(await keepFile(host, seen.files.rules, wanted.rules)),
    ...(await loadRules(host)),
    ...(await writeConf(host, seen, conf)),
    ...(await reloadIfLost(host, seen)),
    ...(await keepFile(host, seen.files.loader, wanted.loader)),
    ...(await keepJob(host, seen.job)),
  ];
}

async function keepFile(host: Host, seen: Seen, wanted: WantedFile): Promise<string[]> {
  if (fileDifferences(seen, wanted).length === 0) return [];
  await host.writeFile(wanted.place, wanted.text);
  return [`wrote ${wanted.place.path}`];
}

/** Only where it takes nothing from anyone; elsewhere the references come back with the next boot. */
async function reloadIfLost(host: Host, seen: Observed): Promise<string[]> {
  if (!mustReload(seen)) return [];
  await host.must(['/sbin/pfctl', '-f', PF_CONF], { root: true });
  return [`loaded ${PF_CONF}: the running ruleset had lost ${lostReferences(seen).join(', ')}`];
}
