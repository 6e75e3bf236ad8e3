import { createHash } from 'node:crypto';
import { type BuiltMac, launchdOf, root } from '@minifleet/world/mac';
import { pfOf } from '@minifleet/world/testing/mac';

/** Externally visible state of a Mac, to check that it is unchanged or that two Macs are equal. */
export interface MacState {
  /** By path: kind, rights, owner, and a hash of what is in it. */
  readonly files: Readonly<Record<string, string>>;
  /** Rules of the packet filter by anchor. */
  readonly filter: Readonly<Record<string, readonly string[]>>;
  readonly filterEnabled: boolean;
  /** Users with a GUI session. */
  readonly sessions: readonly number[];
  /** Jobs launchd holds, and whether each has a process. */
  readonly jobs: Readonly<Record<string, 'running' | 'not running'>>;
  /** Pids of running jobs. */
  readonly pids: Readonly<Record<string, number>>;
}

/** Written by a running system whatever we do, or by us to tell what was done. */
const VOLATILE =
  /^\/(private\/)?(var\/(log|run|db\/minifleet|db\/sudo)|tmp|var\/tmp|dev|Users\/m1\/Library\/Logs)(\/|$)/;

export function macState(mac: BuiltMac): MacState {
  const { guiDomains, jobs } = launchdOf(mac);
  const { rulesets, enabled } = pfOf(mac);
  const known = [...jobs].sort(([one], [other]) => one.localeCompare(other));
  return {
    files: Object.fromEntries(filesBelow(mac, '/')),
    filter: Object.fromEntries(
      [...rulesets].map(([anchor, { rules, tables }]) => [
        anchor,
        [
          ...Object.values(rules).flatMap(section => section.map(({ text }) => text)),
          ...[...tables].map(([name, { addresses }]) => `<${name}> ${addresses.join(' ')}`),
        ],
      ]),
    ),
    filterEnabled: enabled,
    sessions: [...guiDomains.keys()],
    jobs: Object.fromEntries(known.map(([name, { process }]) => [name, process ? 'running' : 'not running'])),
    pids: Object.fromEntries(known.flatMap(([name, { process }]) => (process ? [[name, process.pid]] : []))),
  };
}

/**
 * Final state without values that differ between runs: pids, the keys of a registered runner, and whether a boot
 * followed the firewall installation (only then the main ruleset references it as pf.conf says).
 */
export function endState(mac: BuiltMac): unknown {
  const { pids: _, files, filter, ...rest } = macState(mac);
  const lasting = Object.entries(files).map(([path, what]) => [path, MADE_ANEW.test(path) ? 'there' : what]);
  const main = filter['']?.filter(rule => rule !== SINCE_BOOT);
  return { ...rest, filter: { ...filter, '': main }, files: Object.fromEntries(lasting) };
}

const SINCE_BOOT = 'anchor "tuist.runners" all';
const MADE_ANEW = /^\/opt\/actions-runner\/\.credentials/;

/** Every path below a folder with what lies there; volatile ones are left out, and links are not followed. */
function filesBelow(mac: BuiltMac, folder: string): [string, string][] {
  const { files } = mac;
  return files.list(root, folder).flatMap(name => {
    const path = `${folder === '/' ? '' : folder}/${name}`;
    if (VOLATILE.test(path)) return [];
    const { type, mode, uid, gid } = files.stat(root, path, { followLinks: false });
    const rights = `${type} ${mode.toString(8)} ${uid}:${gid}`;
    if (type === 'link') return [[path, `${rights} to ${files.readLink(root, path)}`]];
    if (type === 'directory') return [[path, rights], ...filesBelow(mac, path)];
    return [[path, `${rights} ${createHash('sha256').update(files.read(root, path)).digest('hex')}`]];
  });
}
