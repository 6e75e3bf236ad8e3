import { BOOT_ANCHOR } from './places.ts';

const APPLE = 'com.apple/*';

/** The main ruleset as `pfctl -s nat` and `pfctl -s rules` show it, one rule a line. */
export type Running = readonly string[];

/**
 * What the running main ruleset does not refer to though it should, such as `nat-anchor com.apple/*`. What hangs below is
 * loaded then and never evaluated: the guests' filter (F01), or their NAT (F04).
 */
export function missingReferences(running: Running, conf: string): string[] {
  const held = referencesIn(running);
  const missing = [...referencesIn(conf.split('\n'))].filter(name => name.endsWith(` ${APPLE}`) && !held.has(name));
  const filtered = held.has(`anchor ${APPLE}`) || held.has(`anchor ${BOOT_ANCHOR}`);
  return filtered || missing.includes(`anchor ${APPLE}`) ? missing : [...missing, `anchor ${BOOT_ANCHOR}`];
}

/**
 * Whether loading the whole of pf.conf takes nothing from anyone. Services put anchors of their own into the running
 * ruleset; with those the load collides (facts §3.10), and if it did not, running guests would lose their NAT.
 */
export function reloadable(running: Running, conf: string): boolean {
  const written = referencesIn(conf.split('\n'));
  return running.every(line => {
    const name = referenceIn(line);
    return name !== undefined && written.has(name);
  });
}

const referencesIn = (lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.map(referenceIn).filter(name => name !== undefined));

/** Those `-s nat` and `-s rules` show; dummynet's they do not. */
function referenceIn(line: string): string | undefined {
  const found = /^\s*((?:scrub-|nat-|rdr-)?anchor)\s+"?([^"\s]+)"?/.exec(line);
  return found ? `${found[1]} ${found[2]}` : undefined;
}
