import { gunzipSync, gzipSync } from 'node:zlib';
import { errorMessage } from '../../files/file-system.ts';
import type { Program, Run } from '../../mac.ts';
import { parseOptions, refuseForm } from '../getopt.ts';
import { readOperand, resolve, statOf } from '../paths.ts';
import { readTar, type TarEntry, writeTar } from './tar-format.ts';

/** bsdtar: -c, -x and -t with -z, -f, -C, -p and --strip-components. */
export const tar: Program = async run => {
  const [, first = '', ...rest] = run.argv;
  // The traditional syntax has no dash before the first letters.
  const argv = ['tar', /^[a-z]+$/.test(first) && !run.argv[0]?.startsWith('-') ? `-${first}` : first, ...rest];
  const strip = Number(argv.find(word => word.startsWith('--strip-components='))?.split('=')[1] ?? 0);
  const words = argv.filter(
    word => !word.startsWith('--strip-components=') && !/^--(no-same-owner|no-xattrs|no-mac-metadata)$/.test(word),
  );
  const options = parseOptions({ ...run, argv: words }, { letters: 'cxtzf:C:vpmoO', permute: true });
  if (typeof options === 'number') return options;
  const base = options.has('C') ? resolve(run, options.value('C') ?? '') : run.directory;
  if (!statOf(run, base)) {
    run.err(`tar: could not chdir to '${options.value('C')}'\n`);
    return 1;
  }
  const path = options.value('f') ?? '-';
  const names = options.operands;
  if (options.has('c')) return create(run, { base, names, path, compressed: options.has('z') });
  if (options.has('x') || options.has('t'))
    return extract(run, { base, names, path, strip, listOnly: options.has('t') });
  return refuseForm(run);
};

interface ArchiveCreation {
  readonly base: string;
  readonly names: readonly string[];
  readonly path: string;
  readonly compressed: boolean;
}

function create(run: Run, { base, names, path, compressed }: ArchiveCreation): number {
  try {
    const entries = names.flatMap(name => collect(run, base, name));
    const archive = compressed ? gzipSync(writeTar(entries)) : writeTar(entries);
    if (path === '-') run.out(archive);
    else run.mac.files.write(run.user, resolve(run, path), archive);
    return 0;
  } catch (error) {
    run.err(`tar: ${errorMessage(error)}\n`);
    return 1;
  }
}

function collect(run: Run, base: string, name: string): TarEntry[] {
  const { files } = run.mac;
  const full = name.startsWith('/') ? name : `${base}/${name}`;
  const { type, mode, uid, gid, modified } = files.stat(run.user, full, { followLinks: false });
  const content = type === 'file' ? files.read(run.user, full) : Buffer.alloc(0);
  const target = type === 'link' ? files.readLink(run.user, full) : '';
  const path = name.replace(/^\/+/, '') + (type === 'directory' && !name.endsWith('/') ? '/' : '');
  const children =
    type === 'directory'
      ? files.list(run.user, full).flatMap(child => collect(run, base, `${name.replace(/\/$/, '')}/${child}`))
      : [];
  return [{ path, type, mode, uid, gid, modified, content, target }, ...children];
}

interface ArchiveExtraction {
  readonly base: string;
  readonly names: readonly string[];
  readonly path: string;
  readonly strip: number;
  readonly listOnly: boolean;
}

async function extract(run: Run, { base, names, path, strip, listOnly }: ArchiveExtraction): Promise<number> {
  const entries = await readArchive(run, path);
  if (!entries) {
    run.err('tar: Error opening archive: Unrecognized archive format\n');
    return 1;
  }
  const selected = (entry: TarEntry): boolean =>
    names.length === 0 ||
    names.some(name => trimmed(entry.path) === trimmed(name) || trimmed(entry.path).startsWith(`${trimmed(name)}/`));
  let failed = names.some(name => !entries.some(entry => trimmed(entry.path) === trimmed(name))) ? 1 : 0;
  if (failed)
    for (const name of names)
      if (!entries.some(entry => trimmed(entry.path) === trimmed(name)))
        run.err(`tar: ${name}: Not found in archive\n`);
  for (const entry of entries.filter(selected)) {
    const relative = trimmed(entry.path).split('/').slice(strip).join('/');
    if (relative === '') continue;
    if (listOnly) run.out(`${entry.path}\n`);
    else if (!put(run, entry, `${base}/${relative}`)) failed = 1;
  }
  return failed;
}

const trimmed = (path: string): string => path.replace(/^(\.?\/)+/, '').replace(/\/+$/, '');

async function readArchive(run: Run, path: string): Promise<TarEntry[] | undefined> {
  try {
    const bytes = await readOperand(run, path);
    return readTar(bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes);
  } catch {
    // A truncated upload is also not an archive.
    return undefined;
  }
}

/** Each file gets a new inode, because tar first removes an existing file. Only root restores owners. */
function put(run: Run, entry: TarEntry, path: string): boolean {
  const { files } = run.mac;
  try {
    files.makeDirectory(run.user, path.slice(0, path.lastIndexOf('/')) || '/', { parents: true });
    const existing = statOf(run, path, false);
    if (entry.type === 'directory') {
      if (existing?.type !== 'directory') files.makeDirectory(run.user, path, { mode: entry.mode });
    } else {
      if (existing) files.remove(run.user, path);
      if (entry.type === 'link') files.link(run.user, entry.target, path);
      else files.write(run.user, path, entry.content, { mode: entry.mode & ~0o022 });
    }
    if (run.user.uid === 0 && entry.type !== 'link') files.chown(run.user, path, entry.uid, entry.gid);
    if (entry.type === 'file') files.setModified(run.user, path, entry.modified);
    return true;
  } catch (error) {
    run.err(`tar: ${entry.path}: ${errorMessage(error)}\n`);
    return false;
  }
}

/** gzip and gunzip: -c, -d, -k, -f; for files in place or standard input. */
export const gzip: Program = async run => {
  const options = parseOptions(run, { letters: 'cdkfq123456789' });
  if (typeof options === 'number') return options;
  const unpack = options.has('d') || /(gunzip|zcat)$/.test(run.argv[0] ?? '');
  const convert = (bytes: Buffer): Buffer => (unpack ? gunzipSync(bytes) : gzipSync(bytes));
  try {
    if (options.operands.length === 0) run.out(convert(await run.readStdin()));
    for (const path of options.operands) {
      const result = convert(await readOperand(run, path));
      if (options.has('c')) {
        run.out(result);
        continue;
      }
      run.mac.files.write(run.user, resolve(run, unpack ? path.replace(/\.gz$/, '') : `${path}.gz`), result);
      if (!options.has('k')) run.mac.files.remove(run.user, resolve(run, path));
    }
    return 0;
  } catch (error) {
    run.err(`gzip: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
};

/** Builds a .tar.gz like published releases: every file is executable and belongs to its builder. */
export const tarball = (files: Readonly<Record<string, Buffer | string>>): Buffer =>
  gzipSync(writeTar(Object.entries(files).map(([path, content]) => entryOf(path, Buffer.from(content)))));

const entryOf = (path: string, content: Buffer): TarEntry => ({
  path,
  type: 'file',
  mode: 0o755,
  uid: 501,
  gid: 20,
  modified: 0,
  content,
  target: '',
});
