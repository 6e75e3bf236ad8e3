import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import path from 'node:path';
import type { NodeBench } from '../../../e2e/testing/node-bench.ts';

/** Megabytes per second of a log request to the agent's server, with the API server's credential and without kubectl. */
export function serverLogsRate({ cluster }: NodeBench, address: string, pod: string): Promise<number> {
  const pki = (file: string): Buffer => readFileSync(path.join(cluster.directory, 'pki', file));
  const credential = { cert: pki('apiserver-kubelet-client.crt'), key: pki('apiserver-kubelet-client.key') };
  const url = `https://${address}:10250/containerLogs/default/${pod}/main`;
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...credential, ca: cluster.certificateAuthority, agent: false }, response => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.once('error', reject);
      response.once('end', () => {
        if (response.statusCode === 200) resolve(bytes / 1e3 / (performance.now() - begun));
        else reject(new Error(`the agent's server returned ${response.statusCode}`));
      });
    });
    sent.once('error', reject);
    sent.end();
  });
}
