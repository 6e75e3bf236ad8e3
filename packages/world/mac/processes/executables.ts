import { type Executable, type Mac, type MacPartContribution, type Program, root } from '../mac.ts';

/**
 * Installed programs are identified by their file's content: a copy of the file also runs, and a removed or overwritten
 * one does not.
 */
interface Executables {
  /** Programs by the marker in their files. */
  readonly programs: Map<string, Program>;
  readonly contributions: MacPartContribution[];
}

const KEY = Symbol('executables');

export const executablesOf = (mac: Mac): Executables =>
  mac.state(KEY, () => ({ programs: new Map(), contributions: [] }));

const MAGIC = Buffer.from([0xcf, 0xfa, 0xed, 0xfe]);
const contents = new Map<string, Buffer>();

/** Content of a program's file: the magic number of a Mach-O and its marker. One buffer for all Macs. */
function stubOf(mark: string): Buffer {
  const known = contents.get(mark);
  if (known) return known;
  const content = Buffer.concat([MAGIC, Buffer.from(` ${mark}\n`)]);
  contents.set(mark, content);
  return content;
}

export function installProgram(mac: Mac, path: string, program: Program): void {
  const { programs } = executablesOf(mac);
  let mark = path;
  for (let version = 2; programs.has(mark) && programs.get(mark) !== program; version++) mark = `${path}#${version}`;
  programs.set(mark, program);
  const directory = path.slice(0, path.lastIndexOf('/'));
  mac.files.makeDirectory(root, directory, { parents: true });
  // An installer also creates a new inode; overwriting in place would break the signature.
  const temporary = `${path}.installing`;
  mac.files.write(root, temporary, stubOf(mark), { mode: 0o755 });
  mac.files.rename(root, temporary, path);
}

/** Type of an executable file. */
type LoadedExecutable =
  | { readonly program: Program }
  | { readonly interpreter: readonly string[] }
  | { readonly unknown: 'format' };

const MAGIC_AND_SPACE = MAGIC.length + 1;

export function load(mac: Mac, file: Executable): LoadedExecutable {
  const { programs, contributions } = executablesOf(mac);
  if (file.content.length < 4096 && file.content.subarray(0, MAGIC.length).equals(MAGIC)) {
    const program = programs.get(file.content.subarray(MAGIC_AND_SPACE, -1).toString());
    if (program) return { program };
  }
  for (const { load: loader } of contributions) {
    const program = loader?.(file);
    if (program) return { program };
  }
  const start = file.content.subarray(0, 256);
  if (start.toString('latin1', 0, 2) === '#!') return { interpreter: interpreterIn(start.toString()) };
  // execve fails with ENOEXEC; every shell then runs a text without #! as an sh script.
  return start.includes(0) ? { unknown: 'format' } : { interpreter: ['/bin/sh'] };
}

/** `#!/usr/bin/env bash` is one interpreter and one argument: the kernel splits no further. */
function interpreterIn(start: string): string[] {
  const line = start.slice(2, start.indexOf('\n') < 0 ? undefined : start.indexOf('\n')).trim();
  const space = line.search(/\s/);
  return space < 0 ? [line] : [line.slice(0, space), line.slice(space).trim()];
}
