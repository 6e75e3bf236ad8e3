import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import type { Reporter } from '../progress/reporter.ts';
import { findBinaries, standardSources } from './find-binaries.ts';
import type { ProgramName } from './program.ts';
import type { BinarySource } from './source.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'minifleet-find-'));
after(() => rmSync(directory, { recursive: true, force: true }));

function having(origin: string, ...names: ProgramName[]): BinarySource & { asked: string[] } {
  const asked: string[] = [];
  return {
    origin,
    asked,
    async find({ name }) {
      asked.push(name);
      return names.includes(name) ? { path: `${origin}/${name}` } : { passedOver: `${origin} has no ${name}` };
    },
  };
}

function recorder(): Reporter & { lines: string[] } {
  const lines: string[] = [];
  const step = (title: string) => ({
    update() {},
    done: (detail?: string) => void lines.push(`${title}: ${detail ?? 'done'}`),
    failed: (detail: string) => void lines.push(`${title} failed: ${detail}`),
  });
  return { lines, step, note: text => void lines.push(text) };
}

test('each program comes from the first source that has it', async () => {
  const [given, cache, build] = [having('given', 'etcd'), having('cache', 'kubectl'), having('build', 'helm')];
  const sources = { ready: [given, cache], filling: [cache, build], lockDirectory: directory };
  const found = await findBinaries({ programs: ['etcd', 'kubectl', 'helm'], sources });
  assert.deepEqual(found, { etcd: 'given/etcd', kubectl: 'cache/kubectl', helm: 'build/helm' });
  assert.deepEqual(build.asked, ['helm']);
});

test('a reason for building is shown once for all programs, and usual reasons are not shown', async () => {
  const reporter = recorder();
  const unset: BinarySource = { origin: 'given', find: async () => ({ passedOver: 'not set', expected: true }) };
  const offline: BinarySource = { origin: 'download', find: async () => ({ passedOver: 'dl.k8s.io is unreachable' }) };
  const sources = { ready: [unset], filling: [offline, having('built', 'etcd', 'helm')], lockDirectory: directory };
  await findBinaries({ programs: ['etcd', 'helm'], sources, reporter });
  assert.deepEqual(reporter.lines, [
    'cluster programs: 2 to download or build, once',
    '  dl.k8s.io is unreachable; building from source',
    'etcd v3.6.16 (1 of 2): built',
    'helm v4.3.1 (2 of 2): built',
  ]);
});

test('the estimate of what remains follows the speed of the machine', async () => {
  let now = 0;
  const updates: string[] = [];
  const step = (title: string) => ({
    update: (detail: string) => void updates.push(`${title.split(' ')[0]}: ${detail}`),
    done() {},
    failed() {},
  });
  const build: BinarySource = {
    origin: 'built',
    expectedSeconds: () => 120,
    async find({ name }, { step: line }) {
      now += 60_000;
      line.update('half');
      now += 180_000;
      return { path: name };
    },
  };
  const sources = { ready: [], filling: [build], lockDirectory: directory };
  await findBinaries({ programs: ['etcd', 'helm', 'kubectl'], sources, reporter: { step, note() {} }, now: () => now });
  assert.deepEqual(updates, [
    'etcd: about 6 min left',
    'etcd: half; about 5 min left',
    'helm: about 8 min left',
    'helm: half; about 7 min left',
    'kubectl: about 4 min left',
    'kubectl: half; about 3 min left',
  ]);
});

test('a program that no source has is an error with every reason and the next action', async () => {
  const sources = { ready: [having('given')], filling: [having('download')], lockDirectory: directory };
  await assert.rejects(findBinaries({ programs: ['helm'], sources }), {
    code: 'LOCAL_CLUSTER_BINARY_UNAVAILABLE',
    message: /given has no helm\n.*download has no helm\n.*MINIFLEET_CLUSTER_BIN/,
  });
});

test('the standard order is: named directories, cache, official release, build', () => {
  const { ready, filling } = standardSources({
    givenDirectories: [
      { variable: 'MINIFLEET_CLUSTER_BIN', directory: undefined },
      { variable: 'KUBEBUILDER_ASSETS', directory: undefined },
    ],
    cacheDirectory: directory,
    temporaryDirectory: directory,
    os: 'linux',
    arch: 'amd64',
    variables: {},
  });
  assert.deepEqual(
    [...ready, ...filling].map(({ origin }) => origin),
    [
      'from MINIFLEET_CLUSTER_BIN',
      'from KUBEBUILDER_ASSETS',
      'from the cache',
      'from the cache',
      'downloaded from the official release',
      'built from source',
    ],
  );
});
