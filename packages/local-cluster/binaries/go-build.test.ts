import assert from 'node:assert/strict';
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
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import type { Environment } from '../environment.ts';
import { silentReporter } from '../progress/reporter.ts';
import { openBinaryCache } from './binary-cache.ts';
import { goBuild } from './go-build.ts';
import { PROGRAMS } from './program.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'minifleet-go-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const progress = { step: silentReporter.step(''), reporter: silentReporter };

/** Returns an environment whose go command is this script, or which has no go command. */
function withGo(name: string, script?: string): Environment {
  const bin = path.join(directory, name, 'bin');
  mkdirSync(bin, { recursive: true });
  if (script !== undefined) {
    writeFileSync(path.join(bin, 'go'), `#!/bin/sh\n[ "$1" = env ] && echo go1.26.8 && exit\n${script}\n`);
    chmodSync(path.join(bin, 'go'), 0o755);
  }
  return {
    givenDirectories: [],
    cacheDirectory: path.join(directory, name, 'cache'),
    temporaryDirectory: directory,
    os: 'linux',
    arch: 'amd64',
    variables: { PATH: `${bin}${script === undefined ? '' : ':/usr/bin:/bin'}` },
  };
}

function build(environment: Environment) {
  const cache = openBinaryCache(environment);
  return { cache, found: goBuild(environment, cache).find(PROGRAMS.etcd, progress) };
}

test('go build: a built program is cached under its version and platform', async () => {
  const script = 'while [ "$1" != -o ]; do shift; done; echo built > "$2"';
  const { cache, found } = build(withGo('works', script));
  const answer = await found;
  assert.ok('path' in answer);
  assert.equal(path.basename(answer.path), 'etcd-v3.6.16-linux-amd64');
  assert.equal(readFileSync(answer.path, 'utf8'), 'built\n');
  assert.deepEqual(await cache.find(PROGRAMS.etcd, progress), { path: answer.path });
});

test('go build: a failed build leaves nothing in the cache and reports its last lines', async () => {
  const script = 'while [ "$1" != -o ]; do shift; done; echo half > "$2"; echo "proxy says no" >&2; exit 1';
  const { cache, found } = build(withGo('fails', script));
  await assert.rejects(found, { code: 'LOCAL_CLUSTER_BUILD_FAILED', message: /proxy says no[\s\S]*GOPROXY/ });
  assert.deepEqual(existsSync(cache.directory) ? readdirSync(cache.directory) : [], []);
});

test('go build: the next build removes the leftovers of a killed one', async () => {
  const environment = withGo('again', 'while [ "$1" != -o ]; do shift; done; echo built > "$2"');
  const cache = openBinaryCache(environment);
  mkdirSync(cache.directory, { recursive: true });
  writeFileSync(`${cache.file(PROGRAMS.etcd)}.1.partial`, 'half');
  await build(environment).found;
  assert.deepEqual(readdirSync(cache.directory), ['etcd-v3.6.16-linux-amd64']);
});

test('go build: without go and without a module proxy the error says what to do', async () => {
  const environment = withGo('missing');
  const { found } = build({ ...environment, variables: { ...environment.variables, GOPROXY: 'off' } });
  await assert.rejects(found, {
    code: 'LOCAL_CLUSTER_GO_UNAVAILABLE',
    message: /GOPROXY=off forbids downloads.*install Go 1\.26\.4 or newer/,
  });
});
