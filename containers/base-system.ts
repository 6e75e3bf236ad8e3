/** The part of Debian that Node needs: the C and C++ libraries. The image has no shell and no package manager. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { extract } from 'tar-stream';
import type { Architecture } from './architecture.ts';
import type { LayerFile } from './layer.ts';

const PACKAGES = ['libatomic1', 'libc6', 'libgcc-s1', 'libstdc++6'];

export const USER = { name: 'minifleet', id: 65_532 };

export interface BaseSystem {
  readonly files: readonly LayerFile[];
  /** `libc6 2.36-9`, for the SBOM of the image. */
  readonly packages: readonly DebianPackage[];
}

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
}

const run = promisify(execFile);
const AS_BYTES = { encoding: 'buffer', maxBuffer: 256 * 2 ** 20 } as const;

export async function baseSystem({ debian }: Architecture): Promise<BaseSystem> {
  const folder = await mkdtemp(join(tmpdir(), 'minifleet-base-'));
  try {
    await download(folder, debian);
    const archives = (await readdir(folder)).filter(name => name.endsWith('.deb')).sort();
    const parts = await Promise.all(archives.map(name => readPackage(join(folder, name))));
    const packages = parts.map(({ of }) => of);
    const other = packages.find(({ architecture }) => architecture !== debian);
    if (other !== undefined)
      throw new Error(`apt-get downloaded ${other.name} for ${other.architecture} instead of ${debian}`);
    return { files: [...rootOf(debian), ...parts.flatMap(({ files }) => files)], packages };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The package lists of the machine may be old or missing, and lack other architectures. They are fetched only then. */
async function download(folder: string, debian: string): Promise<void> {
  const { stdout: own } = await run('dpkg', ['--print-architecture']);
  const options = own.trim() === debian ? [] : await listsApart(folder, debian);
  const apt = (...argv: string[]) => run('apt-get', [...options, ...argv], { cwd: folder, timeout: 120_000 });
  const fetchAll = () => apt('download', ...PACKAGES);
  await fetchAll().catch(async () => {
    await apt('update', '-qq');
    await fetchAll();
  });
}

/** Another architecture gets its own lists, so that the apt configuration of the machine stays unchanged. */
async function listsApart(folder: string, debian: string): Promise<string[]> {
  const [lists, cache, status] = ['lists', 'cache', 'status'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(join(lists, 'partial'), { recursive: true });
  await mkdir(join(cache, 'archives/partial'), { recursive: true });
  await writeFile(status, '');
  const settings = [
    `APT::Architecture=${debian}`,
    `APT::Architectures=${debian}`,
    `Dir::State::Lists=${lists}`,
    `Dir::State::status=${status}`,
    `Dir::Cache=${cache}`,
  ];
  return settings.flatMap(setting => ['-o', setting]);
}

async function readPackage(path: string): Promise<{ files: LayerFile[]; of: DebianPackage }> {
  const { stdout: control } = await run('dpkg-deb', ['--field', path]);
  const { stdout: archive } = await run('dpkg-deb', ['--fsys-tarfile', path], AS_BYTES);
  const name = field(control, 'Package');
  const of = { name, version: field(control, 'Version'), architecture: field(control, 'Architecture') };
  // Scanners look here for the packages of an image without a package manager.
  const status: LayerFile = { path: `var/lib/dpkg/status.d/${name}`, content: Buffer.from(control) };
  return { files: [status, ...(await librariesIn(archive))], of };
}

const field = (control: string, name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(control)?.[1] ?? '';

const LIBRARY = /^usr\/lib(64)?\/.*\.so(\.|$)/;

async function librariesIn(archive: Uint8Array): Promise<LayerFile[]> {
  const files: LayerFile[] = [];
  const reader = extract();
  reader.end(archive);
  for await (const entry of reader) {
    const { name, type, linkname, mode = 0o644 } = entry.header;
    const path = merged(name.replace(/^\.\//, ''));
    const chunks: Uint8Array[] = [];
    for await (const chunk of entry) chunks.push(chunk);
    if (!LIBRARY.test(path) && !path.startsWith('usr/share/doc/')) continue;
    if (type === 'symlink' && linkname) files.push({ path, target: linkname });
    else if (type === 'file') files.push({ path, content: Buffer.concat(chunks), mode });
  }
  return files;
}

/** Debian packages still use /lib for files in /usr/lib; like a Debian system, the image has one directory and a link. */
const merged = (path: string): string => path.replace(/^(lib(64)?)\//, 'usr/$1/');

/** The loader of a program is in /lib64 for amd64, and in /lib for arm64. */
const rootOf = (debian: string): readonly LayerFile[] => [
  { path: 'lib', target: 'usr/lib' },
  ...(debian === 'amd64' ? [{ path: 'lib64', target: 'usr/lib64' }] : []),
  { path: 'tmp', directory: true, mode: 0o1777 },
  { path: 'etc/passwd', content: Buffer.from(`${USER.name}:x:${USER.id}:${USER.id}::/:/sbin/nologin\n`) },
  { path: 'etc/group', content: Buffer.from(`${USER.name}:x:${USER.id}:\n`) },
  { path: 'etc/nsswitch.conf', content: Buffer.from('hosts: files dns\n') },
];
