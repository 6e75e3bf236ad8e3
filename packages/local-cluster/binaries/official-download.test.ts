import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { silentReporter } from '../progress/reporter.ts';
import { officialDownload } from './official-download.ts';
import { PROGRAMS, type ProgramName } from './program.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'minifleet-download-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const cache = {
  async store(program: { name: string }, write: (file: string) => Promise<void>) {
    const file = path.join(directory, program.name);
    await write(file);
    return file;
  },
};
const progress = { step: silentReporter.step(''), reporter: silentReporter };
const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

/** A fake web with a few URLs that records requests. */
function web(pages: Record<string, Uint8Array<ArrayBuffer> | string | Error>) {
  const asked: string[] = [];
  const fetch = async (input: string | URL | Request) => {
    const url = input instanceof Request ? input.url : String(input);
    asked.push(url);
    const page = Object.entries(pages).find(([end]) => url.endsWith(end))?.[1];
    if (page instanceof Error) throw page;
    return page === undefined ? new Response('', { status: 404 }) : new Response(page);
  };
  return { asked, source: officialDownload({ environment: { os: 'linux', arch: 'amd64' }, cache, fetch }) };
}

const find = (source: ReturnType<typeof web>['source'], name: ProgramName) => source.find(PROGRAMS[name], progress);

test('official releases: a program with the published checksum is cached', async () => {
  const content = Buffer.from('kubectl');
  const { source } = web({ '/kubectl.sha256': sha256(content), '/kubectl': content });
  const answer = await find(source, 'kubectl');
  assert.ok('path' in answer);
  assert.equal(readFileSync(answer.path, 'utf8'), 'kubectl');
});

test('official releases: a program with another checksum is rejected', async () => {
  const { source } = web({ '/kubectl.sha256': 'c'.repeat(64), '/kubectl': 'tampered' });
  const answer = await find(source, 'kubectl');
  assert.ok('passedOver' in answer);
  assert.match(answer.passedOver, /has checksum [0-9a-f]{64}, published is c{64}/);
});

test('official releases: a program inside an archive is extracted', async () => {
  mkdirSync(path.join(directory, 'linux-amd64'));
  writeFileSync(path.join(directory, 'linux-amd64', 'helm'), 'the real helm');
  execFileSync('tar', ['-czf', 'helm.tar.gz', 'linux-amd64/helm'], { cwd: directory });
  const archive = readFileSync(path.join(directory, 'helm.tar.gz'));
  const { source } = web({ '.sha256sum': `${sha256(archive)}  helm.tar.gz`, '.tar.gz': archive });
  const answer = await find(source, 'helm');
  assert.ok('path' in answer);
  assert.equal(readFileSync(answer.path, 'utf8'), 'the real helm');
});

test('official releases: an unreachable host is requested only once for all its programs', async () => {
  const cause = Object.assign(new Error('no such host'), { code: 'ENOTFOUND' });
  const { source, asked } = web({ '.sha256': new TypeError('fetch failed', { cause }) });
  const answers = [await find(source, 'kubectl'), await find(source, 'kube-apiserver')];
  assert.deepEqual(answers, [
    { passedOver: 'dl.k8s.io is unreachable (ENOTFOUND)' },
    { passedOver: 'dl.k8s.io is unreachable (ENOTFOUND)' },
  ]);
  assert.equal(asked.length, 1);
});

test('official releases: nothing is downloaded without a published checksum', async () => {
  const { source, asked } = web({ '/kubectl': 'kubectl' });
  const answer = await find(source, 'kubectl');
  assert.ok('passedOver' in answer);
  assert.match(answer.passedOver, /sha256 answers 404/);
  assert.equal(asked.length, 1);
});
