import { basename } from 'node:path/posix';
import { parseArgs } from 'node:util';
import { FileError } from '../files/file-system.ts';
import type { Executable, Mac, MacPart, Program, Run } from '../mac.ts';
import type { ExitReason } from '../processes/process-table.ts';
import { cdhashOf, isBinary, type Signature, signatureOf, signed } from './mach-o.ts';

interface KernelCache {
  /** By inode: the hash the kernel cached when it last ran the file. */
  readonly seen: Map<number, string>;
  /** Probability that a stale entry kills the process: 2 of 3 hosts in S2 (default: always). */
  staleKills: number;
}

const KEY = Symbol('code signing');

export const codeSigningOf = (mac: Mac): KernelCache => mac.state(KEY, () => ({ seen: new Map(), staleKills: 1 }));

const KILLED: ExitReason = { reason: 'OS_REASON_CODESIGNING' };

/**
 * Returns how the kernel kills a program at its start; undefined if it does not. A file overwritten in place keeps its
 * inode, and its new pages are checked against the hash cached for the old ones, even if the new signature is valid
 * (I19; S2). A new inode has no cache entry.
 */
function refuse(mac: Mac, file: Executable): ExitReason | undefined {
  if (!isBinary(file.content)) return undefined;
  if (signatureOf(file.content) === 'none') return refused(mac, file, 'not signed');
  const cache = codeSigningOf(mac);
  const hash = cdhashOf(file.content);
  const before = cache.seen.get(file.inode);
  if (before !== undefined && before !== hash && mac.around.chance.next() < cache.staleKills)
    return refused(mac, file, 'overwritten in place');
  cache.seen.set(file.inode, hash);
  return undefined;
}

function refused(mac: Mac, file: Executable, why: string): ExitReason {
  mac.around.journal.add(`mac/${mac.options.name}`, 'code signature', `${file.path} ${why}`);
  return KILLED;
}

interface CodesignArguments {
  readonly action: 'sign' | 'display' | 'verify' | undefined;
  readonly identity: string;
  readonly force: boolean;
  readonly verbosity: number;
  readonly paths: readonly string[];
  readonly unknown: readonly string[];
}

const USAGE = 'Usage: codesign -s identity [-fv*] [-o flags] [-r reqs] [-i ident] path ... # sign\n';

/** Simulates /usr/bin/codesign: ad-hoc signing, display and verification. */
const codesign: Program = run => {
  const asked = parse(run.argv.slice(1));
  for (const option of asked.unknown)
    run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, `codesign ${option}`);
  if (asked.unknown.length > 0 || !asked.action || asked.paths.length === 0) {
    run.err(USAGE);
    return 2;
  }
  return asked.paths.map(path => one(run, asked, path)).find(code => code !== 0) ?? 0;
};

const OPTIONS = {
  sign: { type: 'string', short: 's' },
  force: { type: 'boolean', short: 'f' },
  display: { type: 'boolean', short: 'd' },
  verify: { type: 'boolean' },
  verbose: { type: 'boolean', short: 'v', multiple: true },
  timestamp: { type: 'string' },
  'preserve-metadata': { type: 'string' },
  options: { type: 'string', short: 'o' },
  identifier: { type: 'string', short: 'i' },
  entitlements: { type: 'string' },
  deep: { type: 'boolean' },
  strict: { type: 'boolean' },
} as const;

function parse(words: readonly string[]): CodesignArguments {
  const { values, positionals } = parseArgs({
    args: words.map(word => (/^--verbose=\d$/.test(word) ? `-${'v'.repeat(Number(word.at(-1)))}` : word)),
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
  });
  const { sign, verify, display, verbose = [] } = values;
  const verbosity = Array.isArray(verbose) ? verbose.length : 0;
  const looks = verify || verbosity > 0 ? 'verify' : undefined;
  const shows = display ? 'display' : looks;
  return {
    action: sign === undefined ? shows : 'sign',
    identity: String(sign),
    force: values.force === true,
    verbosity,
    paths: positionals,
    unknown: Object.keys(values).filter(name => !(name in OPTIONS)),
  };
}

function one(run: Run, asked: CodesignArguments, given: string): number {
  const path = given.startsWith('/') ? given : `${run.directory}/${given}`;
  try {
    const file = executableIn(run, path);
    const content = run.mac.files.read(run.user, file);
    const what = isBinary(content) ? signatureOf(content) : 'none';
    switch (asked.action) {
      case 'sign':
        return sign(run, asked, { given, file, content, what });
      case 'display':
        return display(run, asked, { given, file, content, what });
      case 'verify':
      case undefined:
        return verify(run, asked, given, what);
    }
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const reason = error.code === 'ENOENT' ? 'No such file or directory' : 'Permission denied';
    run.err(`${given}: ${reason}\n`);
    return 1;
  }
}

/** A bundle is represented by its main executable. */
function executableIn(run: Run, path: string): string {
  if (run.mac.files.stat(run.user, path).type !== 'directory') return path;
  const folder = `${path.replace(/\/$/, '')}/Contents/MacOS`;
  const [name = ''] = run.mac.files.list(run.user, folder);
  return `${folder}/${name}`;
}

interface SignedFile {
  readonly given: string;
  readonly file: string;
  readonly content: Buffer;
  readonly what: Signature;
}

/** Writes next to the file and renames onto it. The file gets a new inode, which is what repairs it (I19). */
function sign(run: Run, asked: CodesignArguments, { given, file, content, what }: SignedFile): number {
  if (asked.identity !== '-') {
    run.err(`${asked.identity}: no identity found\n`);
    return 1;
  }
  if (what !== 'none' && !asked.force) {
    run.err(`${given}: is already signed\n`);
    return 1;
  }
  if (what !== 'none') run.err(`${given}: replacing existing signature\n`);
  // The signature of a script is in an extended attribute, so its bytes do not change.
  if (!isBinary(content)) return 0;
  const { files } = run.mac;
  const { mode, uid, gid } = files.stat(run.user, file);
  const temporary = `${file}.cstemp`;
  files.write(run.user, temporary, signed(content), { mode: mode & 0o7777 });
  files.chmod(run.user, temporary, mode & 0o7777);
  if (run.user.uid === 0) files.chown(run.user, temporary, uid, gid);
  files.rename(run.user, temporary, file);
  return 0;
}

function display(run: Run, asked: CodesignArguments, { given, file, content, what }: SignedFile): number {
  if (what === 'none') return notSigned(run, given);
  const flags = { linker: '0x20002(adhoc,linker-signed)', adhoc: '0x2(adhoc)', vendor: '0x10000(runtime)' }[what];
  const hash = asked.verbosity > 2 ? [`CDHash=${cdhashOf(content)}`] : [];
  const lines = [
    `Executable=${file}`,
    `Identifier=${basename(file)}`,
    'Format=Mach-O thin (arm64)',
    `CodeDirectory v=20400 size=${Math.ceil(content.length / 4096) * 32 + 256} flags=${flags} hashes=${Math.ceil(content.length / 4096)}+0 location=embedded`,
    ...hash,
    what === 'vendor' ? 'Authority=Developer ID Application' : 'Signature=adhoc',
    'Info.plist=not bound',
    'TeamIdentifier=not set',
    'Sealed Resources=none',
    'Internal requirements count=0 size=12',
  ];
  run.err(`${lines.join('\n')}\n`);
  return 0;
}

/** Checks only the file on disk: a file overwritten in place is valid here, and the kernel still kills it (S2). */
function verify(run: Run, asked: CodesignArguments, given: string, what: Signature): number {
  if (what === 'none') return notSigned(run, given);
  if (asked.verbosity > 0) run.err(`${given}: valid on disk\n${given}: satisfies its Designated Requirement\n`);
  return 0;
}

function notSigned(run: Run, given: string): number {
  run.err(`${given}: code object is not signed at all\n`);
  return 1;
}

/** Code signing: the kernel's check at every program start, and the codesign command. */
export const codeSigningPart: MacPart = mac => {
  // The kernel keeps this cache in memory only.
  mac.onBoot(() => codeSigningOf(mac).seen.clear());
  return { programs: { '/usr/bin/codesign': codesign }, refuse: file => refuse(mac, file) };
};
