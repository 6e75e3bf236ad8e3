/** `node docs/reference/access/write-access.ts`: queries a real API server and rewrites docs/reference/access.md. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalCluster } from '@minifleet/local-cluster';
import { accessPage } from './access-page.ts';
import { recordAccess } from './record-access.ts';
import { openScene } from './scene.ts';

const cacheDirectory = mkdtempSync(join(tmpdir(), 'minifleet-access-'));
const cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
try {
  const kubectl = await openScene(cluster, cacheDirectory);
  writeFileSync(new URL('../access.md', import.meta.url), accessPage(await recordAccess(kubectl)));
  await kubectl.close();
} finally {
  await cluster.stop();
  rmSync(cacheDirectory, { recursive: true, force: true });
}
