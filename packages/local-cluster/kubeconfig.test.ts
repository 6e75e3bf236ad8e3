import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { parse } from 'yaml';
import { writeKubeconfig } from './kubeconfig.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'minifleet-kubeconfig-'));
after(() => rmSync(directory, { recursive: true, force: true }));

test('a kubeconfig is a file that only its owner can read, with embedded credentials', async () => {
  const kubeconfig = await writeKubeconfig({
    path: path.join(directory, 'deep', 'admin.yaml'),
    user: 'admin',
    server: 'https://127.0.0.1:1',
    certificateAuthority: 'authority',
    client: { certificate: 'certificate', privateKey: 'key' },
  });
  assert.equal(statSync(kubeconfig.path).mode & 0o777, 0o600);
  assert.equal(readFileSync(kubeconfig.path, 'utf8'), kubeconfig.text);
  const document = parse(kubeconfig.text);
  assert.equal(document['current-context'], 'local');
  assert.equal(document.clusters[0].cluster.server, 'https://127.0.0.1:1');
  const decoded = Buffer.from(document.users[0].user['client-key-data'], 'base64').toString();
  assert.equal(decoded, 'key');
  assert.equal(document.contexts[0].context.user, 'admin');
});
