import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { defaultFleetFile, HOST_FILES, type PinnedFile, RUNNER, TART } from '@minifleet/spec-file';
import { fetchHostFiles } from './fetch-host-files.ts';

const content = Buffer.from('an archive');
const pin: PinnedFile = {
  ...TART,
  file: 'tart.tar.gz',
  sha256: createHash('sha256').update(content).digest('hex'),
};

describe('files for hosts in the image of the provider', () => {
  let folder: string;
  let server: Server;
  let mirror: string;
  const requests: string[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'minifleet-host-files-'));
    server = createServer((request, response) => {
      requests.push(request.url ?? '');
      if (request.url === '/mirror/tart.tar.gz') response.end(content);
      else response.writeHead(404).end();
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    mirror = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mirror`;
  });
  after(async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const fetchFrom = (from: string, pinned: PinnedFile = pin, cache = 'cache') =>
    fetchHostFiles([pinned], { from, cache: join(folder, cache), say: () => undefined });

  test('a file is downloaded from a mirror once, and then read from the cache', async () => {
    for (const _ of [1, 2]) assert.deepEqual((await fetchFrom(mirror)).get('tart.tar.gz'), content);
    assert.deepEqual(requests, ['/mirror/tart.tar.gz']);
  });

  test('a file with another SHA-256 is rejected and not kept, and the message names both and the source', async () => {
    await writeFile(join(folder, 'tart.tar.gz'), 'another archive');
    await assert.rejects(fetchFrom(folder, pin, 'other'), {
      message: new RegExp(
        `tart\\.tar\\.gz has the SHA-256 [0-9a-f]{64}, but ${pin.sha256} is published for Tart ${TART.version} \\(tart_.*checksums\\.txt.*\\)`,
      ),
    });
    await assert.rejects(readdir(join(folder, 'other')), { code: 'ENOENT' });
  });

  test('a file that is not available is reported with the commands that get and verify it', async () => {
    const missing = { ...pin, file: 'missing.tar.gz' };
    const message = await fetchFrom(mirror, missing, 'other').then(
      () => assert.fail('it exists'),
      (error: Error) => error.message,
    );
    assert.match(message, /mirror\/missing\.tar\.gz is not available \(the server answers 404\)/);
    assert.match(message, new RegExp(`curl -fLo files/missing\\.tar\\.gz ${TART.url.replaceAll('.', '\\.')}`));
    assert.match(message, /sha256sum -c/);
  });

  test('the default fleet file names Tart by the file of its pinned version', () => {
    assert.deepEqual(defaultFleetFile().tart, { version: TART.version, archive: `${HOST_FILES}/${TART.file}` });
    for (const { file, url, version } of [TART, RUNNER])
      assert.ok(file.includes(version) && url.includes(version), file);
  });
});
