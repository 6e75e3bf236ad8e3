/** The little of Debian that Node needs: the C and C++ libraries. There is no shell and no package manager in the image. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { extract } from 'tar-stream';
import type { LayerFile } from './layer.ts';

const PACKAGES = ['libatomic1', 'libc6', 'libgcc-s1', 'libstdc++6'];

export const USER = { name: 'minifleet', id: 65_532 };

export interface BaseSystem {
  readonly files: readonly LayerFile[];
  /** `libc6 2.36-9`: for the list of what is in the image. */
  readonly packages: readonly { readonly name: string; readonly version: string }[];
}

const run = promisify(execFile);
const AS_BYTES = { encoding: 'buffer', maxBuffer: 256 * 2 ** 20 } as const;

export async function baseSystem(): Promise<BaseSystem> {
  const folder = await mkdtemp(join(tmpdir(), 'minifleet-base-'));
  try {
    await download(folder);
    const archives = (await readdir(folder)).filter(name => name.endsWith('.deb')).sort();
    const parts = await Promise.all(archives.map(name => readPackage(join(folder, name))));
    return { files: [...ROOT, ...parts.flatMap(({ files }) => files)], packages: parts.map(({ of }) => of) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The lists on the machine may be old or missing: only then are they fetched. */
async function download(folder: string): Promise<void> {
  const fetchAll = () => run('apt-get', ['download', ...PACKAGES], { cwd: folder, timeout: 120_000 });
  await fetchAll().catch(async () => {
    await run('apt-get', ['update', '-qq'], { timeout: 120_000 });
    await fetchAll();
  });
}

async function readPackage(path: string): Promise<{ files: LayerFile[]; of: { name: string; version: string } }> {
  const { stdout: control } = await run('dpkg-deb', ['--field', path]);
  const { stdout: archive } = await run('dpkg-deb', ['--fsys-tarfile', path], AS_BYTES);
  const name = field(control, 'Package');
  // Where scanners look for the packages of an image that has no package manager.
  const status: LayerFile = { path: `var/lib/dpkg/status.d/${name}`, content: Buffer.from(control) };
  return { files: [status, ...(await librariesIn(archive))], of: { name, version: field(control, 'Version') } };
}

const field = (control: string, name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(control)?.[1] ?? '';

const LIBRARY = /^usr\/lib(64)?\/.*\.so(\.|$)/;

async function librariesIn(archive: Uint8Array): Promise<LayerFile[]> {
  const files: LayerFile[] = [];
  const reader = extract();
  reader.end(archive);
  for await (const entry of reader) {
    const { name, type, linkname, mode } = entry.header;
    const path = merged(name.replace(/^\.\//, ''));
    const chunks: Uint8Array[] = [];
    for await (const chunk of entry) chunks.push(chunk as Uint8Array);
    if (!LIBRARY.test(path) && !path.startsWith('usr/share/doc/')) continue;
    if (type === 'symlink') files.push({ path, target: linkname });
    else if (type === 'file') files.push({ path, content: Buffer.concat(chunks), mode });
  }
  return files;
}

/** Debian's packages still say /lib for what is in /usr/lib; one place and a link is what its systems have. */
const merged = (path: string): string => path.replace(/^(lib(64)?)\//, 'usr/$1/');

const ROOT: readonly LayerFile[] = [
  { path: 'lib', target: 'usr/lib' },
  { path: 'lib64', target: 'usr/lib64' },
  { path: 'tmp', directory: true, mode: 0o1777 },
  { path: 'etc/passwd', content: Buffer.from(`${USER.name}:x:${USER.id}:${USER.id}::/:/sbin/nologin\n`) },
  { path: 'etc/group', content: Buffer.from(`${USER.name}:x:${USER.id}:\n`) },
  { path: 'etc/nsswitch.conf', content: Buffer.from('hosts: files dns\n') },
];
