import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { downloadFromProxy, moduleProxies } from './module-proxy.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'minifleet-proxy-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const to = path.join(directory, 'file');

async function proxy(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const download = (GOPROXY: string, more: Record<string, string> = {}) =>
  downloadFromProxy({ path: 'm/@v/v1.zip', to, variables: { GOPROXY, ...more }, retryPause: 1, idleTimeout: 200 });

test('GOPROXY is read as go reads it: comma, bar, direct and off', () => {
  const read = (value?: string) => moduleProxies(value).map(({ url, next }) => `${url.href} ${next}`);
  assert.deepEqual(read(undefined), [
    'https://proxy.golang.org/ after not found',
    'https://go.dev/dl/mod after not found',
  ]);
  assert.deepEqual(read('http://a|http://b/x,direct,http://ignored'), [
    'http://a/ after any error',
    'http://b/x after not found',
    'https://go.dev/dl/mod after not found',
  ]);
  assert.deepEqual(read('off'), []);
  assert.throws(() => moduleProxies('proxy.example'), /GOPROXY has an entry that is not a URL: proxy.example/);
});

test('a module file is downloaded from a proxy with its own path, through a redirect', async t => {
  const root = await proxy(t, (request, response) => {
    if (request.url === '/base/m/@v/v1.zip') response.writeHead(302, { location: '/elsewhere' }).end();
    else response.end(`content of ${request.url}`);
  });
  assert.equal(await download(`${root}/base/`), new URL(root).host);
  assert.equal(readFileSync(to, 'utf8'), 'content of /elsewhere');
});

test('a proxy that lacks the file is followed by the next one', async t => {
  const empty = await proxy(t, (_, response) => response.writeHead(404).end());
  const full = await proxy(t, (_, response) => response.end('content'));
  assert.equal(await download(`${empty},${full}`), new URL(full).host);
});

test('a proxy that fails is followed by the next one after a bar, but not after a comma', async t => {
  const broken = await proxy(t, (_, response) => response.writeHead(403).end());
  const full = await proxy(t, (_, response) => response.end('content'));
  assert.equal(await download(`${broken}|${full}`), new URL(full).host);
  await assert.rejects(download(`${broken},${full}`), { message: `${new URL(broken).host}: HTTP status 403` });
});

test('an interrupted download is repeated', async t => {
  let requests = 0;
  const root = await proxy(t, (request, response) => {
    requests += 1;
    response.writeHead(200, { 'content-length': '7' }).write('con');
    if (requests < 3) request.socket.destroy();
    else response.end('tent');
  });
  await download(root);
  assert.equal(readFileSync(to, 'utf8'), 'content');
});

test('a download that is interrupted each time ends with an error that names the proxy', async t => {
  const root = await proxy(t, (request, response) => {
    response.writeHead(200, { 'content-length': '7' }).write('con', () => request.socket.destroy());
  });
  await assert.rejects(download(root), {
    message: new RegExp(`^${RegExp.escape(new URL(root).host)}: (aborted|terminated|.*ECONNRESET)`),
  });
});

test('a proxy that stops sending is given up', async t => {
  const root = await proxy(t, (_, response) => void response.writeHead(200, { 'content-length': '7' }).write('con'));
  await assert.rejects(download(root), /no data for 0\.2 s/);
});

if (process.platform === 'linux') {
  test('a full disk ends the download at once', async t => {
    let requests = 0;
    const root = await proxy(t, (_, response) => {
      requests += 1;
      response.end('content');
    });
    const full = { path: 'm/@v/v1.zip', to: '/dev/full', variables: { GOPROXY: root } };
    await assert.rejects(downloadFromProxy(full), { code: 'ENOSPC' });
    assert.equal(requests, 1);
  });
}

test('an unreachable proxy is an error that names the reason', async () => {
  await assert.rejects(download('http://127.0.0.1:1'), /127\.0\.0\.1:1: .*ECONNREFUSED/);
});

test('GOPROXY=off forbids the download', async () => {
  await assert.rejects(download('off'), /GOPROXY=off forbids downloads/);
});

test('a proxy on disk is read as a file', async () => {
  const folder = mkdtempSync(path.join(directory, 'm-'));
  writeFileSync(path.join(folder, 'v1.zip'), 'on disk');
  const GOPROXY = pathToFileURL(folder).href;
  await downloadFromProxy({ path: 'v1.zip', to, variables: { GOPROXY } });
  assert.equal(readFileSync(to, 'utf8'), 'on disk');
});

test('HTTP_PROXY is used, except for hosts in NO_PROXY', async t => {
  const root = await proxy(t, (_, response) => response.end('directly'));
  const forward = await proxy(t, (request, response) => response.end(`forwarded ${request.url}`));
  await download(root, { HTTP_PROXY: forward });
  assert.equal(readFileSync(to, 'utf8'), `forwarded ${root}/m/@v/v1.zip`);
  await download(root, { HTTP_PROXY: forward, NO_PROXY: '127.0.0.1' });
  assert.equal(readFileSync(to, 'utf8'), 'directly');
});

test('credentials in GOPROXY are sent and never shown', async t => {
  const root = await proxy(t, (request, response) => {
    const sent = Buffer.from(request.headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString();
    response.writeHead(sent === 'user:secret' ? 200 : 401).end('content');
  });
  const withPassword = (password: string) => root.replace('http://', `http://user:${password}@`);
  await download(withPassword('secret'));
  await assert.rejects(download(withPassword('wrong')), { message: `${new URL(root).host}: HTTP status 401` });
});
