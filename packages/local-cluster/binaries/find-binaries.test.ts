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

test('the reasons why earlier sources were passed over are shown', async () => {
  const reporter = recorder();
  const sources = {
    ready: [having('given'), having('cache')],
    filling: [having('download'), having('build', 'helm')],
    lockDirectory: directory,
  };
  await findBinaries({ programs: ['helm'], sources, reporter });
  assert.equal(
    reporter.lines.at(-1),
    'helm v4.3.1 (1 of 1): build; given has no helm; cache has no helm; download has no helm',
  );
});

test('a program nobody has is an error with every reason and the next action', async () => {
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
      'built by go',
    ],
  );
});
