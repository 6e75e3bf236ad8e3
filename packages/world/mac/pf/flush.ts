import { emptyRules, forgetEmpty, type Pf } from './pf.ts';

const MODIFIERS = ['nat', 'rules', 'states', 'Sources', 'info', 'Tables', 'osfp', 'all', 'dummynet'];

/** `pfctl -F`: what it says on the way; undefined for a modifier it does not know. */
export function flush(pf: Pf, asked: { readonly what: string; readonly anchor: string }): string[] | undefined {
  const what = MODIFIERS.find(name => name.startsWith(asked.what));
  if (what === undefined) return undefined;
  const wanted = (name: string): boolean => what === name || what === 'all';
  const said = [
    wanted('rules') && flushRules(pf, asked.anchor),
    wanted('nat') && flushNat(pf, asked.anchor),
    wanted('dummynet') && 'dummynet cleared',
    wanted('states') && '0 states cleared',
    wanted('Sources') && 'source tracking entries cleared',
    wanted('info') && 'pf: statistics cleared',
    wanted('Tables') && flushTables(pf, asked.anchor),
    wanted('osfp') && 'pf: interface flags reset',
  ].filter(line => typeof line === 'string');
  forgetEmpty(pf);
  return said;
}

function flushRules(pf: Pf, anchor: string): string {
  const ruleset = pf.rulesets.get(anchor);
  if (ruleset) ruleset.rules = { ...ruleset.rules, filter: [], scrub: [] };
  return 'rules cleared';
}

function flushNat(pf: Pf, anchor: string): string {
  const ruleset = pf.rulesets.get(anchor);
  const { nat, rdr, binat } = emptyRules();
  if (ruleset) ruleset.rules = { ...ruleset.rules, nat, rdr, binat };
  return 'nat cleared';
}

/**
 * The name promises more than it does: a `persist` table only loses its addresses and keeps its name busy (I05; S1).
 * Without an anchor only the main ruleset's tables are meant.
 */
function flushTables(pf: Pf, anchor: string): string {
  const tables = pf.rulesets.get(anchor)?.tables ?? new Map();
  let deleted = 0;
  for (const [name, table] of tables) {
    if (table.persist) {
      table.addresses = [];
      continue;
    }
    tables.delete(name);
    deleted += 1;
  }
  return `${deleted} tables deleted.`;
}
