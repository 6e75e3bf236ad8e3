import { FileError } from '../files/file-system.ts';
import { type Program, type Run, root } from '../mac.ts';

import { flush, loadRules } from './load-rules.ts';
import { type Pf, pfOf } from './pf.ts';
import { show } from './show.ts';
import { commandTable } from './tables.ts';

/** Parsed pfctl command line. */
interface PfctlArguments {
  readonly anchor: string;
  readonly file?: string;
  readonly dry: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly enable: boolean;
  readonly disable: boolean;
  readonly enableReference: boolean;
  readonly releaseToken?: string;
  readonly flush?: string;
  readonly show?: string;
  readonly table?: string;
  readonly tableCommand?: string;
  /** Addresses after the options. */
  readonly operands: readonly string[];
}

class PfctlUsage extends Error {
  override readonly name = 'PfctlUsage';
}

const TAKES_VALUE = 'aFfstTXDiKkpxw';
const FLAGS = 'nqveEdrRNAOoghzmP';
const FIELDS = new Map<string, string>(
  Object.entries({ a: 'anchor', f: 'file', F: 'flush', s: 'show', t: 'table', T: 'tableCommand', X: 'releaseToken' }),
);
const SWITCHES = new Map<string, string>(
  Object.entries({ n: 'dry', q: 'quiet', v: 'verbose', e: 'enable', d: 'disable', E: 'enableReference' }),
);

/** getopt(3): flags may be joined (`-nf file`), a value may follow directly (`-sr`). */
function parsePfctlArguments(argv: readonly string[]): PfctlArguments {
  const found: Record<string, unknown> = {};
  const operands: string[] = [];
  const words = argv.slice(1);
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (!word.startsWith('-') || word === '-') operands.push(word);
    else option(word, words, found);
  }
  const no = { dry: false, quiet: false, verbose: false, enable: false, disable: false, enableReference: false };
  return { anchor: '', ...no, ...found, operands };
}

function option(word: string, following: string[], found: Record<string, unknown>): void {
  for (let letter = 1; letter < word.length; letter++) {
    const flag = word[letter] ?? '';
    if (TAKES_VALUE.includes(flag)) {
      const joined = word.slice(letter + 1);
      const value = joined === '' ? following.shift() : joined;
      if (value === undefined) throw new PfctlUsage(`pfctl: option requires an argument -- ${flag}`);
      found[known(FIELDS, flag)] = value;
      return;
    }
    if (!FLAGS.includes(flag)) throw new PfctlUsage(`pfctl: illegal option -- ${flag}`);
    found[known(SWITCHES, flag)] = true;
  }
}

function known(fields: ReadonlyMap<string, string>, flag: string): string {
  const field = fields.get(flag);
  if (!field) throw new PfctlUsage(`-${flag}`, { cause: 'unmodelled' });
  return field;
}

const USAGE =
  'usage: pfctl [-AdeghmNnOPqRrvz] [-a anchor] [-D macro=value] [-F modifier]\n' +
  '\t[-f file] [-i interface] [-K host | network] [-k host | network]\n' +
  '\t[-o level] [-p device] [-s modifier] [-t table -T command [address ...]]\n' +
  '\t[-X token] [-x level]\n';
const NO_ALTQ = 'No ALTQ support in kernel\nALTQ related functions disabled\n';
const WARNING =
  'pfctl: Use of -f option, could result in flushing of rules\n' +
  'present in the main ruleset added by the system at startup.\nSee /etc/pf.conf for further details.\n\n';

/** Simulates /sbin/pfctl. Everything but the requested output goes to stderr, even on success. */
export const pfctl: Program = async run => {
  const asked = understand(run);
  if (!asked) return 1;
  const stdin = asked.file === '-' ? (await run.readStdin()).toString() : '';
  if (!asked.dry && run.user.uid !== 0) return fail(run, 'pfctl: /dev/pf: Permission denied\n');
  // The warning is also printed for an anchor and with -q; -q suppresses only the ALTQ message.
  if (asked.file !== undefined && !asked.dry) run.err(WARNING);
  if (!asked.dry && !asked.quiet) run.err(NO_ALTQ);
  // The order is pfctl's own: disable, show, flush, tables, load, enable.
  const steps = [disable, shown, flushed, tables, load, enable];
  for (const step of steps) {
    const code = step(run, asked, stdin);
    if (code !== 0) return code;
  }
  return 0;
};

function understand(run: Run): PfctlArguments | undefined {
  try {
    if (run.argv.length === 1) throw new PfctlUsage('');
    return parsePfctlArguments(run.argv);
  } catch (error) {
    if (!(error instanceof PfctlUsage)) throw error;
    if (error.cause) unmodelled(run, `option ${error.message}`);
    run.err(error.cause || error.message === '' ? USAGE : `${error.message}\n${USAGE}`);
    return undefined;
  }
}

type PfctlAction = (run: Run, asked: PfctlArguments, stdin: string) => number;

const disable: PfctlAction = (run, asked) => {
  const pf = pfOf(run.mac);
  if (asked.disable) {
    if (!pf.enabled) return fail(run, 'pfctl: pf not enabled\n');
    // -d ignores references: it disables pf for every holder of a token.
    pf.tokens.clear();
    return turnedOff(run, pf);
  }
  if (asked.releaseToken === undefined) return 0;
  // Derived: the message for an unknown token.
  if (!pf.tokens.delete(asked.releaseToken)) return fail(run, 'pfctl: DIOCSTOPREF: No such process\n');
  if (pf.tokens.size === 0) return turnedOff(run, pf);
  const left = pf.tokens.size;
  run.err(`disable request successful. ${left} more pf enable reference(s) remaining, pf still enabled.\n`);
  return 0;
};

const shown: PfctlAction = (run, asked) => {
  if (asked.show === undefined) return 0;
  const { anchor, verbose } = asked;
  const answer = show(pfOf(run.mac), { what: asked.show, anchor, verbose }, run.mac.around.clock);
  if (!answer) {
    unmodelled(run, `-s ${asked.show}`);
    return fail(run, `pfctl: Unknown show modifier '${asked.show}'\n${USAGE}`);
  }
  if (answer.complaint) run.err(answer.complaint);
  run.out(answer.text);
  return 0;
};

const flushed: PfctlAction = (run, asked) => {
  if (asked.flush === undefined) return 0;
  const messages = flush(pfOf(run.mac), { what: asked.flush, anchor: asked.anchor });
  if (!messages) return fail(run, `pfctl: Unknown flush modifier '${asked.flush}'\n${USAGE}`);
  note(run, 'pf flush', `${asked.flush} ${asked.anchor}`);
  if (!asked.quiet) run.err(`${messages.join('\n')}\n`);
  return 0;
};

const tables: PfctlAction = (run, asked) => {
  if (asked.tableCommand === undefined) return 0;
  if (asked.table === undefined) return fail(run, USAGE);
  const { anchor, table, tableCommand: command, operands: addresses } = asked;
  const answer = commandTable(pfOf(run.mac), { command, anchor, table, addresses });
  if (!answer) {
    unmodelled(run, `-T ${command}`);
    return fail(run, USAGE);
  }
  note(run, `pf table ${command}`, `${table} at ${anchor || 'the main ruleset'}`);
  if (answer.out) run.out(answer.out);
  // -q suppresses success messages, not errors.
  if (answer.err && (answer.code !== 0 || !asked.quiet)) run.err(answer.err);
  return answer.code;
};

const load: PfctlAction = (run, asked, stdin) => {
  if (asked.file === undefined) return 0;
  const { anchor, dry, file: path } = asked;
  const read = (from: string): string => (from === '-' ? stdin : readText(run, from));
  const gap = (detail: string): void => unmodelled(run, detail);
  const print = asked.verbose ? { print: (line: string): void => run.out(`${line}\n`) } : {};
  const errors = loadRules(pfOf(run.mac), { anchor, path, dry, read, gap, ...print });
  note(run, dry ? 'pf check' : 'pf load', `${path} into ${anchor || 'the main ruleset'}: ${errors[0] ?? 'ok'}`);
  return errors.length > 0 ? fail(run, `${errors.join('\n')}\n`) : 0;
};

const enable: PfctlAction = (run, asked) => {
  const pf = pfOf(run.mac);
  const { clock, chance } = run.mac.around;
  if (asked.enable && pf.enabled) return fail(run, 'pfctl: pf already enabled\n');
  if (!asked.enable && !asked.enableReference) return 0;
  if (!pf.enabled) pf.enabledAt = clock.now();
  pf.enabled = true;
  run.err('pf enabled\n');
  if (!asked.enableReference) return 0;
  const token = BigInt(`0x${chance.stream(`pf-token-${clock.now()}-${pf.tokens.size}`).hex(15)}`).toString();
  pf.tokens.set(token, { pid: 0, process: 'pfctl', at: clock.now() });
  run.err(`Token : ${token}\n`);
  return 0;
};

function turnedOff(run: Run, pf: Pf): number {
  pf.enabled = false;
  run.err('pf disabled\n');
  return 0;
}

function readText(run: Run, path: string): string {
  try {
    const full = path.startsWith('/') ? path : `${run.directory}/${path}`;
    return run.mac.files.read(run.user.uid === 0 ? root : run.user, full).toString();
  } catch (error) {
    if (error instanceof FileError && error.code === 'EACCES') throw new Error('Permission denied', { cause: error });
    throw new Error('No such file or directory', { cause: error });
  }
}

function fail(run: Run, text: string): number {
  run.err(text);
  return 1;
}

const note = (run: Run, what: string, detail: string): void =>
  run.mac.around.journal.add(`mac/${run.mac.options.name}`, what, detail);

const unmodelled = (run: Run, detail: string): void =>
  run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, `pfctl ${detail}`);
