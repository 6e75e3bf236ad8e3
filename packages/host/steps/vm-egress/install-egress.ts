import { HOST_FILE_CHANGED } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { loadDaemon, removeDaemon } from '../../launchd/daemon-script.ts';
import { type DaemonState, daemonDifferences } from '../../launchd/launch-daemon.ts';
import { fileFailure } from '../../script-failure.ts';
import { fileDifferences, lostReferences, mustReload, mustUnreference } from './egress-differences.ts';
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

/** Loads the job into launchd. It starts at once and finds nothing to do: rules are loaded, the reference is held. */
async function keepJob(host: Host, observed: DaemonState): Promise<string[]> {
  const differences = daemonDifferences(observed, EGRESS_JOB);
  if (differences.length === 0) return [];
  // Every bootstrap counts towards the limit of Background Task Management (I17): none for a flag.
  if (observed.disabled && differences.length === 1) {
    await host.must(['/bin/launchctl', 'enable', `system/${JOB}`], { root: true });
    return [`enabled the job ${JOB}`];
  }
  await loadDaemon(host, EGRESS_JOB);
  return [`loaded the job ${JOB} into launchd`];
}

/** Loads the rules as the job on the host does; returns notes about removed tables. */
const loadRules = (host: Host): Promise<string[]> => runLoader(host, LOAD);

/** Empties both anchors and releases the pf reference: without another reference pf stops, as on a fresh Mac. */
const unloadRules = (host: Host): Promise<string[]> => runLoader(host, ['/dev/null', TOKEN_FILE, 'release']);

async function runLoader(host: Host, words: readonly string[]): Promise<string[]> {
  const { exitCode, stdout, stderr } = await host.script('vm-egress-load', words);
  if (exitCode === 0) return stdout.split('\n').filter(line => line !== '');
  const where = { path: TOKEN_FILE, address: host.address };
  throw fileFailure(where, stderr) ?? HOST_PF_RULES_REFUSED({ address: host.address, complaint: complaintIn(stderr) });
}

/**
 * Installs the firewall and returns notes. The order makes the host better off wherever it is interrupted: the rules
 * file exists before pf.conf loads it (pf rejects all of pf.conf at boot if it is missing), and guests are filtered
 * before anything is made permanent.
 */
export async function installEgress(host: Host, desired: DesiredEgress): Promise<readonly string[]> {
  const observed = await observeEgress(host, desired.rules.text);
  const conf = withOneBlock(observed.conf ?? '');
  await requireAccepted(host, observed, conf);
  return [
    ...(await keepFile(host, observed.files.rules, desired.rules)),
    ...(await loadRules(host)),
    ...(await writeConf(host, observed, conf)),
    ...(await reloadIfLost(host, observed)),
    ...(await keepFile(host, observed.files.loader, desired.loader)),
    ...(await keepJob(host, observed.job)),
  ];
}

async function keepFile(host: Host, observed: EgressFile, desired: DesiredFile): Promise<string[]> {
  if (fileDifferences(observed, desired).length === 0) return [];
  await host.writeFile(desired.place, desired.text);
  return [`wrote ${desired.place.path}`];
}

/** Only if it removes nothing from others; otherwise the next boot restores the references. */
async function reloadIfLost(host: Host, observed: EgressState): Promise<string[]> {
  if (!mustReload(observed)) return [];
  await host.must(['/sbin/pfctl', '-f', PF_CONF], { root: true });
  return [`loaded ${PF_CONF}: the running ruleset had lost ${lostReferences(observed).join(', ')}`];
}

/**
 * Lets pfctl on the host check the new pf.conf before anything is written: with one invalid line pf loads nothing of
 * the file at the next boot. The present file was checked during the observation.
 */
async function requireAccepted(
  host: Host,
  { conf: before = '', confRefused }: EgressState,
  conf: string,
): Promise<void> {
  if (conf === before && confRefused === undefined) return;
  // Without the rules file, which does not exist yet: it was checked separately.
  const candidate = withoutLoad(conf);
  const { exitCode, stderr } = await host.run(['/sbin/pfctl', '-nf', '-'], { root: true, stdin: candidate });
  if (exitCode === 0) return;
  throw HOST_PF_CONF_INVALID({ address: host.address, complaint: confComplaint(stderr, { before, candidate }) });
}

/** Writes the text that pf accepted, unless the file has changed since it was read. */
async function writeConf(host: Host, { conf: before = '' }: EgressState, conf: string): Promise<string[]> {
  if (conf === before) return [];
  await host.editText({ path: PF_CONF, mode: 0o644, owner: 'root:wheel' }, now => {
    if (now !== before) throw HOST_FILE_CHANGED({ path: PF_CONF, address: host.address });
    return conf;
  });
  return [`wrote ${PF_CONF}`];
}

/**
 * Removes the firewall and returns notes. The job goes first, because it would load the rules again. The rules file
 * goes after the block that loads it, otherwise pf would reject all of pf.conf at boot.
 */
export async function removeEgress(host: Host): Promise<readonly string[]> {
  const observed = await observeEgress(host, '');
  const { conf: before = '' } = observed;
  const conf = containsOwnRules(before) ? withoutBlock(before) : before;
  if (conf !== before) await requireAccepted(host, observed, conf);
  await removeDaemon(host, JOB, [LOADER, JOB_LOG]);
  const notes = [...(await writeConf(host, observed, conf)), ...(await unloadRules(host))];
  if (mustUnreference(observed)) await host.must(['/sbin/pfctl', '-f', PF_CONF], { root: true });
  await host.remove(RULES_FILE);
  return [...notes, 'removed the VM egress firewall'];
}
