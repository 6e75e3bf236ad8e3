import { HOST_FILE_CHANGED } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { loadDaemon, removeDaemon } from '../../launchd/daemon-script.ts';
import { type DaemonState, daemonDifferences } from '../../launchd/launch-daemon.ts';
import { fileFailure } from '../../script-failure.ts';
import { fileDifferences, lostReferences, mustReload } from './egress-differences.ts';
import { HOST_PF_CONF_INVALID, HOST_PF_RULES_REFUSED } from './errors.ts';
import { type EgressFile, type EgressState, observeEgress } from './observe.ts';
import { complaintIn, confComplaint, containsOwnRules, withOneBlock, withoutBlock, withoutLoad } from './pf-conf.ts';
import {
  type DesiredEgress,
  type DesiredFile,
  EGRESS_JOB,
  JOB,
  JOB_LOG,
  LOAD,
  LOADER,
  PF_CONF,
  RULES_FILE,
  TOKEN_FILE,
} from './render-rules.ts';

/** Has launchd hold the job. It starts at once and finds nothing to do: rules are loaded, our reference is held. */
async function keepJob(host: Host, seen: DaemonState): Promise<string[]> {
  const differences = daemonDifferences(seen, EGRESS_JOB);
  if (differences.length === 0) return [];
  // Every bootstrap counts towards what Background Task Management allows (I17): none for a flag.
  if (seen.disabled && differences.length === 1) {
    await host.must(['/bin/launchctl', 'enable', `system/${JOB}`], { root: true });
    return [`enabled the job ${JOB}`];
  }
  await loadDaemon(host, EGRESS_JOB);
  return [`loaded the job ${JOB} into launchd`];
}

/** Loads the rules that lie on the host, as its own job does; returns what had to be killed for it. */
const loadRules = (host: Host): Promise<string[]> => runLoader(host, LOAD);

/** Empties both anchors and gives our reference to pf back: without another one pf ends, as on a Mac of the vendor. */
const unloadRules = (host: Host): Promise<string[]> => runLoader(host, ['/dev/null', TOKEN_FILE, 'release']);

async function runLoader(host: Host, words: readonly string[]): Promise<string[]> {
  const { exitCode, stdout, stderr } = await host.script('vm-egress-load', words);
  if (exitCode === 0) return stdout.split('\n').filter(line => line !== '');
  const where = { path: TOKEN_FILE, address: host.address };
  throw fileFailure(where, stderr) ?? HOST_PF_RULES_REFUSED({ address: host.address, complaint: complaintIn(stderr) });
}

/**
 * Brings a host to the wanted filter; returns what was done. In this order, so that a host on which it ends anywhere is
 * better off than before: the rules lie there before pf.conf loads them (a missing file refuses all of pf.conf at boot),
 * guests are filtered before anything is made to last.
 */
export async function installEgress(host: Host, wanted: DesiredEgress): Promise<readonly string[]> {
  const seen = await observeEgress(host, wanted.rules.text);
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

async function keepFile(host: Host, seen: EgressFile, wanted: DesiredFile): Promise<string[]> {
  if (fileDifferences(seen, wanted).length === 0) return [];
  await host.writeFile(wanted.place, wanted.text);
  return [`wrote ${wanted.place.path}`];
}

/** Only where it takes nothing from anyone; elsewhere the references come back with the next boot. */
async function reloadIfLost(host: Host, seen: EgressState): Promise<string[]> {
  if (!mustReload(seen)) return [];
  await host.must(['/sbin/pfctl', '-f', PF_CONF], { root: true });
  return [`loaded ${PF_CONF}: the running ruleset had lost ${lostReferences(seen).join(', ')}`];
}

/**
 * Lets the host's own pfctl read what pf.conf is to become, before anything is written: one wrong line anywhere, ours or
 * not, and pf takes nothing of the file at the next boot. As it is, it was read when the host was observed.
 */
async function requireAccepted(
  host: Host,
  { conf: before = '', confRefused }: EgressState,
  conf: string,
): Promise<void> {
  if (conf === before && confRefused === undefined) return;
  // Without the rules of ours, which do not lie there yet: they were read by themselves.
  const candidate = withoutLoad(conf);
  const { exitCode, stderr } = await host.run(['/sbin/pfctl', '-nf', '-'], { root: true, stdin: candidate });
  if (exitCode === 0) return;
  throw HOST_PF_CONF_INVALID({ address: host.address, complaint: confComplaint(stderr, { before, candidate }) });
}

/** Writes the very text pf accepted, unless the file is no longer the one that was read. */
async function writeConf(host: Host, { conf: before = '' }: EgressState, conf: string): Promise<string[]> {
  if (conf === before) return [];
  await host.editText({ path: PF_CONF, mode: 0o644, owner: 'root:wheel' }, now => {
    if (now !== before) throw HOST_FILE_CHANGED({ path: PF_CONF, address: host.address });
    return conf;
  });
  return [`wrote ${PF_CONF}`];
}

/**
 * Takes the filter off; returns what was done. The job goes first, it would load the rules again; the file of the rules
 * goes after the block that loads it, or pf would refuse all of pf.conf at boot.
 */
export async function removeEgress(host: Host): Promise<readonly string[]> {
  const seen = await observeEgress(host, '');
  const { conf: before = '' } = seen;
  const conf = containsOwnRules(before) ? withoutBlock(before) : before;
  if (conf !== before) await requireAccepted(host, seen, conf);
  await removeDaemon(host, JOB, [LOADER, JOB_LOG]);
  const notes = [...(await writeConf(host, seen, conf)), ...(await unloadRules(host))];
  await host.remove(RULES_FILE);
  return [...notes, 'removed the VM egress firewall'];
}
