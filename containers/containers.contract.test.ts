import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { defaultFleetFile, TART } from '@minifleet/spec-file';
import { ARCHITECTURES } from './architecture.ts';
import { digestOf } from './layer.ts';
import { type PlatformLayers, platformLayers } from './platform-layers.ts';
import { type BuiltImage, type BuiltPlatform, buildImage, PROGRAMS, type Program } from './program-image.ts';
import { type Elf, isElf, readElf } from './testing/elf.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** Changing the root directory and the user requires root. */
const skip = process.getuid?.() !== 0 && 'it is not run as root';

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

interface Manifest {
  readonly mediaType: string;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

interface Index {
  readonly mediaType: string;
  readonly manifests: readonly (Descriptor & { readonly platform?: object; readonly annotations?: object })[];
}

interface Config {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string;
  readonly rootfs: { readonly diff_ids: readonly string[] };
  readonly config: { readonly Entrypoint: readonly string[]; readonly User: string; readonly Env: readonly string[] };
}

type Name = 'amd64' | 'arm64';

describe('container images of the programs', () => {
  let folder: string;
  const built = new Map<Program, BuiltImage>();
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'minifleet-containers-'));
    const agent = join(folder, 'agent');
    // The content is irrelevant here; the agent builds have their own tests.
    await writeFile(agent, 'the agent');
    const hostFiles = new Map([[TART.file, Buffer.from('an archive')]]);
    const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'minifleet');
    const platforms: PlatformLayers[] = [];
    for (const architecture of ARCHITECTURES) {
      platforms.push(await platformLayers(architecture, { root, cache, say: () => undefined }));
    }
    for (const program of PROGRAMS)
      built.set(program, await buildImage(program, { root, out: folder, platforms, agent, hostFiles }));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const imageOf = (program: Program): BuiltImage => built.get(program) ?? assert.fail(`${program} was not built`);
  const platformOf = (program: Program, name: Name): BuiltPlatform =>
    imageOf(program).platforms.find(({ architecture }) => architecture.platform.architecture === name) ??
    assert.fail(`${program} was not built for ${name}`);
  const blob = (program: Program, digest: string): Promise<Buffer> =>
    readFile(join(imageOf(program).layout, 'blobs', digest.replace(':', '/')));
  const parsed = async <T>(program: Program, digest: string): Promise<T> =>
    JSON.parse(String(await blob(program, digest))) as T;
  const manifestOf = (program: Program, name: Name): Promise<Manifest> =>
    parsed(program, platformOf(program, name).digest);

  for (const program of PROGRAMS) {
    test(`${program}: the layout has one index with an image for amd64 and one for arm64`, async () => {
      const top = JSON.parse(await readFile(join(imageOf(program).layout, 'index.json'), 'utf8')) as Index;
      assert.deepEqual(
        top.manifests.map(({ mediaType, digest, annotations }) => ({ mediaType, digest, annotations })),
        [
          {
            mediaType: 'application/vnd.oci.image.index.v1+json',
            digest: imageOf(program).digest,
            annotations: { 'org.opencontainers.image.ref.name': '0.1.0' },
          },
        ],
      );
      const index = await parsed<Index>(program, imageOf(program).digest);
      assert.equal(index.mediaType, 'application/vnd.oci.image.index.v1+json');
      assert.deepEqual(
        index.manifests.map(({ mediaType, digest, platform }) => ({ mediaType, digest, platform })),
        (['amd64', 'arm64'] as const).map(name => ({
          mediaType: 'application/vnd.oci.image.manifest.v1+json',
          digest: platformOf(program, name).digest,
          platform: { os: 'linux', architecture: name, ...(name === 'arm64' && { variant: 'v8' }) },
        })),
      );
    });

    test(`${program}: every blob matches its digest, size and media type, and none is unreferenced`, async () => {
      const index = await parsed<Index>(program, imageOf(program).digest);
      const named: Descriptor[] = [...index.manifests];
      for (const { digest } of index.manifests) {
        const { config, layers } = await parsed<Manifest>(program, digest);
        assert.equal(config.mediaType, 'application/vnd.oci.image.config.v1+json');
        for (const { mediaType } of layers) assert.equal(mediaType, 'application/vnd.oci.image.layer.v1.tar+gzip');
        const { rootfs } = await parsed<Config>(program, config.digest);
        const contents = await Promise.all(layers.map(async layer => gunzipSync(await blob(program, layer.digest))));
        assert.deepEqual(rootfs.diff_ids, contents.map(digestOf));
        named.push(config, ...layers);
      }
      for (const { digest, size } of named) {
        const bytes = await blob(program, digest);
        assert.deepEqual([digestOf(bytes), bytes.length], [digest, size]);
      }
      const digests = new Set([imageOf(program).digest, ...named.map(({ digest }) => digest)]);
      const files = await readdir(join(imageOf(program).layout, 'blobs/sha256'));
      assert.deepEqual(files.sort(), [...digests].map(digest => digest.replace('sha256:', '')).sort());
    });

    test(`${program}: both platforms share everything except libraries and Node`, async () => {
      const [amd, arm] = [await manifestOf(program, 'amd64'), await manifestOf(program, 'arm64')];
      const shared = amd.layers.map(({ digest }, index) => digest === arm.layers[index]?.digest);
      assert.deepEqual(shared, program === 'provider' ? [false, false, true, true, true] : [false, false, true]);
      const [one, other] = [
        await parsed<Config>(program, amd.config.digest),
        await parsed<Config>(program, arm.config.digest),
      ];
      assert.deepEqual(one.config, other.config);
      assert.deepEqual([one.os, one.architecture, one.variant], ['linux', 'amd64', undefined]);
      assert.deepEqual([other.os, other.architecture, other.variant], ['linux', 'arm64', 'v8']);
    });

    for (const name of ['amd64', 'arm64'] as const) {
      test(`${program}, ${name}: executables and libraries have the architecture, and Node's libraries exist`, async () => {
        const place = await unpack(program, name);
        const files = await elfFilesBelow(place);
        assert.deepEqual([...new Set([...files.values()].map(({ machine }) => machine))], [name]);
        const node = files.get('usr/local/bin/node') ?? assert.fail('there is no Node');
        // Follows links like the kernel: an absolute path is relative to the new root.
        await access(join(place, node.interpreter ?? assert.fail('it has no loader')));
        const libraries = await namesBelow(join(place, 'usr/lib'));
        assert.ok(node.needed.includes('libc.so.6'));
        assert.deepEqual(
          node.needed.filter(library => !libraries.has(library)),
          [],
        );
      });
    }

    test(`${program}: it starts as its own user, with a read-only root directory`, {
      skip,
    }, async () => {
      const place = await unpack(program, 'amd64');
      const { config } = await parsed<Config>(program, (await manifestOf(program, 'amd64')).config.digest);
      const argv = [`--userspec=${config.User}`, place, ...config.Entrypoint];
      const environment = Object.fromEntries(config.Env.map(line => line.split('=', 2)));
      const { stdout } = await run('chroot', [...argv, '--version'], {
        env: { ...environment, PATH: '/usr/sbin:/usr/bin' },
      });
      assert.equal(stdout, `minifleet-${program} 0.1.0\n`);
      // Without a cluster it reports that none was found, instead of failing on its own files.
      await assert.rejects(run('chroot', argv, { env: { ...environment, PATH: '/usr/sbin:/usr/bin' } }), {
        code: 1,
        stderr: /kubeconfig/,
      });
      const { stdout: writable } = await run('find', [place, '-perm', '-o+w', '-not', '-type', 'l']);
      assert.deepEqual(writable.trim().split('\n'), [join(place, 'tmp')]);
    });

    test(`${program}: the SBOM of each platform lists Node, system libraries and own packages`, async () => {
      const lists = await Promise.all(
        imageOf(program).platforms.map(async ({ architecture, sbom }) => {
          const list = JSON.parse(await readFile(sbom, 'utf8')) as PartsList;
          const names = list.components.map(({ name }) => name);
          for (const part of [architecture.basePackage, 'libc6', '@minifleet/kube'])
            assert.ok(names.includes(part), part);
          const libc = list.components.find(({ name }) => name === 'libc6')?.purl ?? '';
          assert.match(libc, new RegExp(`\\?arch=${architecture.debian}$`));
          return list.serialNumber;
        }),
      );
      assert.equal(new Set(lists).size, 2);
    });
  }

  test('only the provider image contains the files for Macs, where the default fleet file of the chart names them', async () => {
    const { agent, tart } = defaultFleetFile();
    for (const [path, content] of [
      [agent.binary, 'the agent'],
      [tart.archive, 'an archive'],
    ] as const) {
      assert.equal(await readFile(join(await unpack('provider', 'arm64'), path), 'utf8'), content);
      await assert.rejects(readFile(join(await unpack('runners', 'arm64'), path)), { code: 'ENOENT' });
    }
  });

  /** Extracts the layers in order, as a runtime does. */
  async function unpack(program: Program, name: Name): Promise<string> {
    const place = join(folder, `${program}-${name}-root`);
    await mkdir(place, { recursive: true });
    for (const { digest } of (await manifestOf(program, name)).layers) {
      await run('tar', ['-xzf', join(imageOf(program).layout, 'blobs', digest.replace(':', '/')), '-C', place]);
    }
    return place;
  }
});

interface PartsList {
  readonly serialNumber: string;
  readonly components: readonly { readonly name: string; readonly purl: string }[];
}

/** Executables and libraries by path, without links. */
async function elfFilesBelow(place: string): Promise<ReadonlyMap<string, Elf>> {
  const found = new Map<string, Elf>();
  for (const entry of await readdir(place, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const content = await readFile(path);
    if (isElf(content)) found.set(relative(place, path), readElf(content));
  }
  return found;
}

/** Returns paths of files, and of links to files. */
async function namesBelow(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return new Set(entries.filter(entry => existsSync(join(entry.parentPath, entry.name))).map(({ name }) => name));
}
