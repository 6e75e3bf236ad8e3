/** Objects of a cluster, to compare it before an installation and after its removal. */
import assert from 'node:assert/strict';
import type { Shell } from '../testing/open-shell.ts';

/** Kubernetes deletes these itself, after an hour or a day. */
const EXPIRING = /^(events(\.|$)|certificatesigningrequests\.)/;

/** Returns all objects as `Kind namespace name`. */
export async function clusterObjects(shell: Pick<Shell, 'run'>): Promise<readonly string[]> {
  const read = async (command: string): Promise<string[]> => {
    const { code, printed } = await shell.run(`${command} 2>/dev/null`);
    assert.equal(code, 0, `${command}\n${printed}`);
    return printed.split('\n').filter(line => line !== '');
  };
  const kinds = await read('kubectl api-resources --verbs=list,delete -o name');
  const listed = kinds.filter(kind => !EXPIRING.test(kind)).join();
  const columns = 'KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name';
  const lines = await read(`kubectl get ${listed} -A --no-headers -o custom-columns=${columns}`);
  return lines.map(line => line.trim().replaceAll(/\s+/g, ' ')).sort();
}
