import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROGRAMS, type ProgramName } from './program.ts';
import { releaseOf } from './release.ts';

const SHA = 'a'.repeat(64);

function release(name: ProgramName, os = 'linux') {
  const found = releaseOf(PROGRAMS[name], { os, arch: 'arm64' });
  assert.ok('url' in found, 'passedOver' in found ? found.passedOver : '');
  return found;
}

test('releases: a Kubernetes program is published next to its checksum', () => {
  const { url, checksumUrl, checksumIn } = release('kubectl', 'darwin');
  assert.equal(url, 'https://dl.k8s.io/release/v1.36.4/bin/darwin/arm64/kubectl');
  assert.equal(checksumUrl, `${url}.sha256`);
  assert.equal(checksumIn(`${SHA}\n`), SHA);
});

test('releases: etcd is in an archive whose checksum is in a list', () => {
  const { member, checksumIn } = release('etcd');
  assert.equal(member, 'etcd-v3.6.16-linux-arm64/etcd');
  const list = `${'b'.repeat(64)}  etcd-v3.6.16-linux-amd64.tar.gz\n${SHA}  etcd-v3.6.16-linux-arm64.tar.gz\n`;
  assert.equal(checksumIn(list), SHA);
  assert.equal(checksumIn(''), undefined);
});

test('releases: Helm is in an archive with a checksum file', () => {
  const { url, checksumUrl, member } = release('helm');
  assert.equal(url, 'https://get.helm.sh/helm-v4.3.1-linux-arm64.tar.gz');
  assert.equal(checksumUrl, `${url}.sha256sum`);
  assert.equal(member, 'linux-arm64/helm');
});

test('releases: the checksum of clusterctl is the digest of its release asset', () => {
  const { checksumIn } = release('clusterctl');
  const assets = [
    { name: 'clusterctl-linux-amd64', digest: `sha256:${'b'.repeat(64)}` },
    { name: 'clusterctl-linux-arm64', digest: `sha256:${SHA}` },
  ];
  assert.equal(checksumIn(JSON.stringify({ assets })), SHA);
  assert.equal(checksumIn(JSON.stringify({ assets: [{ name: 'clusterctl-linux-arm64', digest: null }] })), undefined);
});

test('releases: a program without an official binary states the reason', () => {
  const core = releaseOf(PROGRAMS['capi-core'], { os: 'linux', arch: 'amd64' });
  assert.ok('passedOver' in core);
  assert.match(core.passedOver, /container image only/);
  const server = releaseOf(PROGRAMS['kube-apiserver'], { os: 'darwin', arch: 'arm64' });
  assert.ok('passedOver' in server);
  assert.match(server.passedOver, /not released for macOS/);
});
