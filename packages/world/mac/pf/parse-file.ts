import { CARRIAGE_RETURN, type Cursor, createCursor, PfSyntaxError, statements } from './cursor.ts';
import { parseNetwork } from './network.ts';
import { parseRules } from './parse-rule.ts';
import type { AnchorLoad, ParsedFile, PfParseError, PfRule, PfSection, TableDefinition } from './rule.ts';

const ORDER: Readonly<Record<PfSection, number>> = { scrub: 1, nat: 2, rdr: 2, binat: 2, dummynet: 3, filter: 4 };
const OUT_OF_ORDER = 'Rules must be in order: options, normalization, queueing, translation, filtering';

interface ParsedStatements {
  readonly rules: PfRule[];
  readonly tables: TableDefinition[];
  readonly loads: AnchorLoad[];
  readonly skip: string[];
  readonly gaps: string[];
  reached: number;
}

/** Reads a pf file to its end. Each invalid statement is one error with its line, as pfctl reports them. */
export function parseFile(text: string): ParsedFile {
  const found: ParsedStatements = { rules: [], tables: [], loads: [], skip: [], gaps: [], reached: 0 };
  const errors: PfParseError[] = [];
  for (const { line, words } of statements(text)) {
    try {
      if (words.includes(CARRIAGE_RETURN)) throw new PfSyntaxError('syntax error');
      statement(createCursor(words), line, found);
    } catch (error) {
      if (!(error instanceof PfSyntaxError)) throw error;
      errors.push({ line, message: error.message });
    }
  }
  return { ...found, errors };
}

function statement(cursor: Cursor, line: number, found: ParsedStatements): void {
  const first = cursor.next ?? '';
  switch (first) {
    case 'table':
      found.tables.push(table(cursor, line));
      break;
    case 'load':
      found.loads.push(load(cursor, line));
      break;
    case 'set':
      option(cursor, found);
      break;
    case 'antispoof':
    case 'altq':
    case 'dummynet':
    case 'binat':
      found.gaps.push(`pf statement ${first}`);
      throw new PfSyntaxError('syntax error');
    default:
      rules(cursor, found);
      break;
  }
}

function rules(cursor: Cursor, found: ParsedStatements): void {
  const name = cursor.next ?? '';
  const parsed = parseRules(cursor);
  if (!parsed) {
    // `name = "value"`: the macro itself was read when the file was split into statements.
    if (!/^[A-Za-z_]\w*$/.test(name) || cursor.next !== '=') throw new PfSyntaxError('syntax error');
    return;
  }
  if (cursor.next === '{') found.gaps.push('pf inline anchor');
  if (cursor.next !== undefined) throw new PfSyntaxError('syntax error');
  for (const rule of parsed) {
    if (ORDER[rule.section] < found.reached) throw new PfSyntaxError(OUT_OF_ORDER);
    found.reached = ORDER[rule.section];
    found.rules.push(rule);
  }
}

function table(cursor: Cursor, line: number): TableDefinition {
  cursor.expect('table');
  const name = cursor.take();
  if (!/^<.+>$/.test(name)) throw new PfSyntaxError('syntax error');
  if (name.length > 33) throw new PfSyntaxError(`table name too long, max 31 chars`);
  const flags = new Set<string>();
  for (let flag = cursor.optional('persist', 'const', 'counters'); flag; ) {
    flags.add(flag);
    flag = cursor.optional('persist', 'const', 'counters');
  }
  const addresses = cursor.next === '{' ? tableAddresses(cursor) : [];
  if (cursor.next !== undefined) throw new PfSyntaxError('syntax error');
  const fixed = { persist: flags.has('persist'), constant: flags.has('const') };
  return { name: name.slice(1, -1), ...fixed, addresses, line };
}

function tableAddresses(cursor: Cursor): string[] {
  const addresses: string[] = [];
  cursor.expect('{');
  while (!cursor.optional('}')) {
    const negated = cursor.optional('!') ? '!' : '';
    const network = parseNetwork(cursor.take());
    if (!network) throw new PfSyntaxError('could not parse host specification');
    addresses.push(negated + network.text);
    cursor.optional(',');
  }
  return addresses;
}

function load(cursor: Cursor, line: number): AnchorLoad {
  cursor.expect('load');
  cursor.expect('anchor');
  const anchor = cursor.take();
  cursor.expect('from');
  const path = cursor.take();
  if (cursor.next !== undefined) throw new PfSyntaxError('syntax error');
  return { anchor, path, line };
}

function option(cursor: Cursor, found: ParsedStatements): void {
  cursor.expect('set');
  if (found.reached > 0) throw new PfSyntaxError(OUT_OF_ORDER);
  const name = cursor.take();
  if (name === 'skip') {
    cursor.expect('on');
    found.skip.push(...cursor.list(() => cursor.take()));
  } else if (
    !['block-policy', 'state-policy', 'limit', 'timeout', 'optimization', 'debug', 'loginterface'].includes(name)
  )
    throw new PfSyntaxError('syntax error');
}
