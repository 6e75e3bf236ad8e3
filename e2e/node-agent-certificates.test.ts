import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect } from 'node:tls';
import { seconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { nodes } from '@minifleet/kube';
import { noHostNetwork } from '../packages/local-cluster/testing/host-network-support.ts';
import { approveServing } from './testing/approve-own-macs.ts';
import { inSentences, type KubectlInSentences } from './testing/kubectl-in-sentences.ts';
import { IMAGE as image, type JoinedMac, type NodeBench, openNodeBench } from './testing/node-bench.ts';
import { auditNode, type NodeRequest, requestsOfNode } from './testing/requests-of-node.ts';

const skip = noHostNetwork;
const node = 'mini-01';
/** Certificates of less than eight hours are not dated back: this is how long each really lives. */
const LIFE = seconds(40);
const COUNTS = 'i=0; while :; do i=$((i+1)); echo $i; sleep 0.2; done';

let bench: NodeBench;
let mac: JoinedMac;
let kubectl: KubectlInSentences;
const stop = new AbortController();
const folder = mkdtempSync(join(tmpdir(), 'minifleet-e2e-'));

before(async () => {
  if (skip !== false) return;
  bench = await openNodeBench(1, [], {
    'kube-controller-manager': { 'cluster-signing-duration': `${LIFE / 1_000}s` },
    'kube-apiserver': auditNode(folder, node),
  });
  mac = await bench.join(node);
  kubectl = inSentences(bench.kubectl);
});
after(async () => {
  stop.abort();
  await bench?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The certificate the agent's server presents on a new connection, believed for the Node's address. */
async function presented(): Promise<X509Certificate> {
  const socket = connect({ host: mac.mac.options.address, port: 10_250, ca: bench.cluster.certificateAuthority });
  try {
    await once(socket, 'secureConnect');
    const certificate = socket.getPeerX509Certificate();
    assert.ok(certificate);
    return certificate;
  } finally {
    socket.destroy();
  }
}

const onDisk = (name: 'client' | 'serving'): X509Certificate =>
  new X509Certificate(readFileSync(join(mac.folder, 'var/lib/tart-kubelet/pki', `${name}.pem`)));

const hashOf = ({ fingerprint256 }: X509Certificate): string => fingerprint256.replaceAll(':', '').toLowerCase();

/** The certificates in the order of their first request. */
const used = (requests: readonly NodeRequest[]): string[] => [...new Set(requests.map(one => one.certificate))];

const readySince = async (): Promise<string | undefined> =>
  (await bench.admin.get(nodes, { name: node })).status?.conditions?.find(
    ({ type, status }) => type === 'Ready' && status === 'True',
  )?.lastTransitionTime;

test('both certificates are replaced in a running agent: lease, watches and an open kubectl logs -f go on, and the old ones are used no more', {
  skip,
}, async () => {
  const approving = approveServing({ client: bench.admin, clock: systemClock, nodes: [node], signal: stop.signal });
  const pid = await mac.pid();
  await kubectl.createPod('counts', { node, image, script: COUNTS });
  await kubectl.reaches('counts', 'Running');
  const since = await readySince();
  const following = bench.kubectl.start(['logs', '-f', 'counts']);
  const shown: string[] = [];

  // The last watch on the first connection ends a minute after its certificate was replaced; meanwhile there are others.
  const requests = await eventually(
    async () => {
      const certificate = hashOf(await presented());
      if (shown.at(-1) !== certificate) shown.push(certificate);
      const all = requestsOfNode(folder);
      const [first, second] = used(all);
      const idle = all.every(({ certificate: by, endedAt }) => by !== first || endedAt !== undefined);
      return second !== undefined && shown.length >= 3 && idle && all;
    },
    {
      deadline: seconds(180),
      interval: seconds(0.5),
      what: 'three serving certificates, and an end of the first client’s',
    },
  );

  assert.equal(new Set(shown).size, shown.length, 'a serving certificate that was replaced is not presented again');
  assertReplaced(requests);
  // The next renewal may be on disk for a moment before it is used.
  await eventually(async () => hashOf(await presented()) === hashOf(onDisk('serving')));
  await eventually(() => used(requestsOfNode(folder)).at(-1) === hashOf(onDisk('client')));
  assert.equal(await mac.pid(), pid, 'it is the same process');
  assert.equal(await readySince(), since, 'the Node was Ready all the time');

  // Watches live on the new connections: a Pod of now is seen, and its log and commands are reached.
  await kubectl.createPod('afterwards', { node, image, script: 'echo seen' });
  await kubectl.reaches('afterwards', 'Succeeded');
  assert.equal(await kubectl.ok('exec', 'counts', '--', 'echo', 'here'), 'here\n');
  const before = following.output().length;
  await eventually(() => following.output().length > before, { what: 'the followed log to grow' });
  assert.equal(following.child.exitCode, null);
  const lines = following.output().trimEnd().split('\n');
  assert.deepEqual(
    lines.slice(0, -1),
    lines.slice(0, -1).map((_, index) => `${index + 1}`),
    'no line is lost or twice',
  );
  await following.stop();
  stop.abort();
  await approving;
});

/** Each certificate renewed the lease, and none began a request after the next had. */
function assertReplaced(requests: readonly NodeRequest[]): void {
  const certificates = used(requests);
  for (const [index, certificate] of certificates.entries()) {
    const by = (one: string | undefined) => requests.filter(request => request.certificate === one);
    const mine = by(certificate);
    assert.ok(
      index === certificates.length - 1 ||
        mine.some(({ verb, path }) => verb === 'update' && path.includes('/leases/')),
      `certificate ${index} renewed the lease`,
    );
    const next = by(certificates[index + 1])[0];
    const late = next ? mine.filter(({ at }) => at > next.at + UNDER_WAY) : [];
    assert.deepEqual(late, [], `certificate ${index} was used after it was replaced`);
  }
}

/** A request that was sent before the change may come after it. */
const UNDER_WAY = 500;
