import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, type TestContext, test } from 'node:test';
import type { Environment } from '../environment.ts';
import { type Reporter, silentReporter } from '../progress/reporter.ts';
import { zipForTests } from '../testing/zip-for-tests.ts';
import { findGo, isNewEnough, MINIMUM_GO, type ToolchainDeps } from './go-toolchain.ts';
import { hashZip, readZip } from './module-zip.ts';

const root = mkdtempSync(path.join(tmpdir(), 'minifleet-toolchain-'));
after(() => rmSync(root, { recursive: true, force: true }));

const MODULE = 'golang.org/toolchain@v0.0.1-go1.26.8.linux-amd64';
const toolchain = (script: string): Buffer => zipForTests({ [`${MODULE}/bin/go`]: `#!/bin/sh\n${script}\n` });
const ZIP = toolchain('echo "$0 $@"');
const deps = (zip: Buffer): ToolchainDeps => ({ hashes: { 'linux-amd64': hashZip(readZip(zip)) }, retryPause: 1 });

/** Describes a machine with an empty cache whose go command is the given script; without one there is no go. */
function machine(GOPROXY: string, goScript?: string): Environment {
  const folder = mkdtempSync(path.join(root, 'machine-'));
  mkdirSync(path.join(folder, 'bin'));
  if (goScript !== undefined) {
    writeFileSync(path.join(folder, 'bin', 'go'), `#!/bin/sh\n${goScript}\n`);
    chmodSync(path.join(folder, 'bin', 'go'), 0o755);
  }
  return {
    givenDirectories: [],
    cacheDirectory: path.join(folder, 'cache'),
    temporaryDirectory: root,
    os: 'linux',
    arch: 'amd64',
    variables: { PATH: path.join(folder, 'bin'), GOPROXY, GOROOT: '/old/go', GOFLAGS: '-buildvcs=false' },
  };
}

/** Serves the zip at the path of the pinned toolchain, and counts requests. */
async function proxy(t: TestContext, zip: Buffer, listener?: RequestListener) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (listener) listener(request, response);
    else response.writeHead(request.url === `/${MODULE.replace('@', '/@v/')}.zip` ? 200 : 404).end(zip);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const cached = ({ cacheDirectory }: Environment): string[] => {
  const folder = path.join(cacheDirectory, 'go');
  return existsSync(folder) ? readdirSync(folder) : [];
};

test('an installed go that is new enough is used, and nothing is downloaded', async () => {
  const environment = machine('off', `echo go${MINIMUM_GO}`);
  assert.deepEqual(await findGo(environment, silentReporter), { program: 'go', variables: environment.variables });
});

test('versions of go are compared by number', () => {
  const newEnough = ['go1.26.4', 'go1.26.10', 'go1.27', 'go1.100.0', 'go2.0', 'devel go1.27-abcdef'];
  const tooOld = ['go1.26', 'go1.26.3', 'go1.9.9', 'go1.26rc1', '', 'unknown'];
  assert.deepEqual([...newEnough, ...tooOld].filter(isNewEnough), newEnough);
});

test('the minimum Go version is the newest that a go.mod file asks for', () => {
  const modules = path.join(import.meta.dirname, '..', 'go');
  const asked = readdirSync(modules).map(
    folder => /^go (.+)$/m.exec(readFileSync(path.join(modules, folder, 'go.mod'), 'utf8'))?.[1] ?? '',
  );
  const newest = asked.toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true })).at(-1);
  assert.equal(newest, MINIMUM_GO);
});

for (const [machineName, goScript] of [
  ['no go', undefined],
  ['an old go', 'echo go1.21.3'],
  ['a broken go', 'exit 1'],
] as const) {
  test(`with ${machineName} the pinned toolchain is downloaded once and kept`, async t => {
    const { url, requests } = await proxy(t, ZIP);
    const environment = machine(url, goScript);
    const first = await findGo(environment, silentReporter, deps(ZIP));
    assert.deepEqual(await findGo(environment, silentReporter, deps(ZIP)), first);
    assert.equal(requests.length, 1);
    assert.equal(first.program, path.join(environment.cacheDirectory, 'go', 'go1.26.8-linux-amd64', 'bin', 'go'));
    assert.deepEqual(cached(environment), ['go1.26.8-linux-amd64']);
  });
}

test('the downloaded toolchain keeps its files in the cache and ignores settings of another toolchain', async t => {
  const { url } = await proxy(t, ZIP);
  const environment = machine(url);
  const { variables } = await findGo(environment, silentReporter, deps(ZIP));
  assert.deepEqual(variables, {
    PATH: environment.variables['PATH'],
    GOPROXY: url,
    GOPATH: path.join(environment.cacheDirectory, 'go', 'path'),
    GOCACHE: path.join(environment.cacheDirectory, 'go', 'build'),
    GOTOOLCHAIN: 'local',
    GOFLAGS: '-buildvcs=false -modcacherw',
  });
});

test('progress says why the toolchain is downloaded, and from which proxy', async t => {
  const { url } = await proxy(t, ZIP);
  const lines: string[] = [];
  const step = (title: string) => ({
    update: (detail: string) => void lines.push(detail),
    done: (detail?: string) => void lines.push(`${title}: ${detail}`),
    failed() {},
  });
  await findGo(machine(url, 'echo go1.21.3'), { step, note() {} } satisfies Reporter, deps(ZIP));
  assert.equal(
    lines.at(-1),
    `Go 1.26.8 toolchain (go1.21.3 is older than 1.26.4): downloaded from ${new URL(url).host}`,
  );
  assert.ok(lines.includes('verifying') && lines.includes('unpacking'));
});

async function assertRefused(environment: Environment, given: ToolchainDeps, message: RegExp): Promise<void> {
  await assert.rejects(findGo(environment, silentReporter, given), { code: 'LOCAL_CLUSTER_GO_UNAVAILABLE', message });
  assert.deepEqual(cached(environment), []);
}

test('a toolchain with another checksum is discarded', async t => {
  const { url } = await proxy(t, toolchain('tampered'));
  const message =
    /from 127\.0\.0\.1:\d+ was discarded \(checksum h1:\S+=, pinned h1:\S+=\)\. Use another Go module proxy/;
  await assertRefused(machine(url), deps(ZIP), message);
});

test('a file that is not a zip is discarded', async t => {
  const { url } = await proxy(t, Buffer.from('<html>sign in to the hotel network</html>'));
  await assertRefused(machine(url), deps(ZIP), /was discarded \(the zip file is damaged or incomplete\)/);
});

test('an unreachable module proxy is an error with the next action', async () => {
  const message =
    /could not be downloaded \(127\.0\.0\.1:1: .*ECONNREFUSED.*\)\. Check the network, set GOPROXY .*install Go 1\.26\.4/;
  await assertRefused(machine('http://127.0.0.1:1'), deps(ZIP), message);
});

test('an interrupted toolchain download leaves nothing behind', async t => {
  const { url } = await proxy(t, ZIP, (request, response) => {
    response
      .writeHead(200, { 'content-length': ZIP.length })
      .write(ZIP.subarray(0, 20), () => request.socket.destroy());
  });
  await assertRefused(machine(url), deps(ZIP), /could not be downloaded/);
});

test('a platform without a pinned toolchain is an error before any download', async t => {
  const { url, requests } = await proxy(t, ZIP);
  const environment = { ...machine(url), arch: 'riscv64' };
  await assertRefused(environment, deps(ZIP), /no pinned toolchain for linux-riscv64\. Install Go 1\.26\.4 or newer/);
  assert.equal(requests.length, 0);
});

test('too little disk space is an error before any download', async t => {
  const { url, requests } = await proxy(t, ZIP);
  const given = { ...deps(ZIP), freeBytes: async () => 5 << 20 };
  await assertRefused(
    machine(url),
    given,
    /needs 320 MB in .*\(5 MB are free\)\. Free some space, or set XDG_CACHE_HOME/,
  );
  assert.equal(requests.length, 0);
});

test('a toolchain that does not run here is discarded', async t => {
  const foreign = toolchain('exit 126');
  const { url } = await proxy(t, foreign);
  await assertRefused(
    machine(url),
    deps(foreign),
    /was downloaded but does not run .*Check that programs may run from/s,
  );
});

test('the next installation removes the leftovers of a killed one', async t => {
  const { url } = await proxy(t, ZIP);
  const environment = machine(url);
  const leftover = path.join(environment.cacheDirectory, 'go', 'go1.26.8-linux-amd64.partial-Xyz');
  mkdirSync(leftover, { recursive: true });
  await findGo(environment, silentReporter, deps(ZIP));
  assert.deepEqual(cached(environment), ['go1.26.8-linux-amd64']);
});
