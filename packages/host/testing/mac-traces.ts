import { createHash } from 'node:crypto';
import { type BuiltMac, execute, launchdOf, pfOf, root } from '@minifleet/world/mac';

/** Written by the system and by tests. */
const VOLATILE = /^\/(private\/tmp|dev)\//;

/** Everything that Minifleet could have put on a Mac: files, launchd jobs, rules and tables of pf, names and settings. */
export async function macTraces(mac: BuiltMac): Promise<readonly string[]> {
  const below = (folder: string): string[] =>
    mac.files.list(root, folder).flatMap(name => {
      const path = `${folder === '/' ? '' : folder}/${name}`;
      const { type, mode, uid } = mac.files.stat(root, path, { followLinks: false });
      const entry = `${path} ${type} ${mode.toString(8)} ${uid}`;
      if (VOLATILE.test(path)) return [];
      if (type === 'directory') return [entry, ...below(path)];
      if (type === 'link') return [entry];
      return [`${entry} ${createHash('sha256').update(mac.files.read(root, path)).digest('hex').slice(0, 8)}`];
    });
  const settings = await execute(
    mac,
    'for kind in HostName LocalHostName ComputerName; do scutil --get $kind 2>&1; done; pmset -g custom; pfctl -s References',
    { user: root },
  );
  const rules = [...pfOf(mac).rulesets].flatMap(([anchor, { rules, tables }]) => [
    ...Object.values(rules).flatMap(section => section.map(({ text }) => `pf ${anchor}: ${text}`)),
    ...[...tables.keys()].map(name => `pf ${anchor}: table ${name}`),
  ]);
  return [
    ...below('/'),
    ...[...launchdOf(mac).jobs.keys()].map(label => `job ${label}`),
    ...rules,
    ...settings.out.split('\n'),
  ].sort();
}

/** Traces in `now` that are not in `before`. */
export const addedTraces = (before: readonly string[], now: readonly string[]): string[] =>
  now.filter(one => !before.includes(one));
