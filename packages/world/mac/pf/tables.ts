import { parseNetwork } from './network.ts';
import { forgetEmpty, type Pf, rulesetOf } from './pf.ts';

interface TableCommand {
  readonly command: string;
  readonly anchor: string;
  readonly table: string;
  readonly addresses: readonly string[];
}

/** Output of a table command; undefined for a pfctl command that is not modelled. */
type TableResult = { readonly out?: string; readonly err?: string; readonly code: number } | undefined;

const MISSING = { err: 'pfctl: Table does not exist.\n', code: 1 } as const;
/** A `const` table changes only with the rules it was loaded with (derived: XNU's pf_table.c returns EPERM). */
const FIXED = { err: 'pfctl: Operation not permitted.\n', code: 1 } as const;

/** `pfctl [-a anchor] -t table -T command`. */
export function commandTable(pf: Pf, asked: TableCommand): TableResult {
  const table = pf.rulesets.get(asked.anchor)?.tables.get(asked.table);
  if (table?.constant && ['add', 'delete', 'flush'].includes(asked.command)) return FIXED;
  switch (asked.command) {
    case 'kill':
      return kill(pf, asked);
    case 'show':
      return table ? { out: table.addresses.map(shown).join(''), code: 0 } : MISSING;
    case 'flush': {
      if (!table) return MISSING;
      const count = table.addresses.length;
      table.addresses = [];
      return { err: `${count} addresses deleted.\n`, code: 0 };
    }
    case 'add':
      return add(pf, asked);
    case 'delete':
      return table ? remove(table, asked.addresses) : MISSING;
    case 'test': {
      if (!table) return MISSING;
      const matched = asked.addresses.filter(address => table.addresses.includes(address)).length;
      const message = `${matched}/${asked.addresses.length} addresses match.\n`;
      return { err: message, code: matched === asked.addresses.length ? 0 : 2 };
    }
    default:
      return undefined;
  }
}

/** The mark of a negated entry replaces a space. */
const shown = (address: string): string => `${address.startsWith('!') ? '  ' : '   '}${address}\n`;

/**
 * The only command that removes a `persist` table. A table that is not at this scope is not an error, only `0 tables
 * deleted.` (derived: pfctl's pfctl_table.c). A script that kills at one scope and checks only the exit code does not
 * notice (I03).
 */
function kill(pf: Pf, asked: TableCommand): TableResult {
  const killed = pf.rulesets.get(asked.anchor)?.tables.delete(asked.table) ? 1 : 0;
  forgetEmpty(pf);
  return { err: `${killed} table${killed === 1 ? '' : 's'} deleted.\n`, code: 0 };
}

/** Adding to a missing table creates a persistent one (derived: pfctl(8)). */
function add(pf: Pf, asked: TableCommand): TableResult {
  const networks = asked.addresses.map(address => ({ address, network: parseNetwork(address) }));
  const wrong = networks.find(({ network }) => !network);
  if (wrong) return { err: `no IP address found for ${wrong.address}\n`, code: 1 };
  const { tables } = rulesetOf(pf, asked.anchor);
  const table = tables.get(asked.table) ?? { persist: true, constant: false, addresses: [] };
  const created = !tables.has(asked.table);
  tables.set(asked.table, table);
  const fresh = networks.map(({ network }) => network?.text ?? '').filter(text => !table.addresses.includes(text));
  table.addresses.push(...fresh);
  const message = `${fresh.length}/${networks.length} addresses added.\n`;
  return { err: `${created ? '1 table created.\n' : ''}${message}`, code: 0 };
}

function remove(table: { addresses: string[] }, addresses: readonly string[]): TableResult {
  const before = table.addresses.length;
  table.addresses = table.addresses.filter(address => !addresses.includes(address));
  return { err: `${before - table.addresses.length}/${addresses.length} addresses deleted.\n`, code: 0 };
}
