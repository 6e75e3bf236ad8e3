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
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import { approveServing } from './testing/approve-serving.ts';
import { createKubectlDriver, type KubectlDriver } from './testing/kubectl-driver.ts';
import { auditFlags, type NodeRequest, readNodeRequests } from './testing/node-audit.ts';
import { IMAGE as image, type JoinedMac, type NodeBench, openNodeBench } from './testing/node-bench.ts';

const skip = noHostNetwork;
const node = 'mini-01';
/** Lifetime of a certificate. The signer does not backdate certificates of less than eight hours. */
const LIFE = seconds(40);
const COUNTS = 'i=0; while :; do i=$((i+1)); echo $i; sleep 0.2; done';

let bench: NodeBench;
let mac: JoinedMac;
let kubectl: KubectlDriver;
const stop = new AbortController();
const folder = mkdtempSync(join(tmpdir(), 'minifleet-e2e-'));

before(async () => {
  if (skip !== false) return;
  bench = await openNodeBench(1, [], {
    'kube-controller-manager': { 'cluster-signing-duration': `${LIFE / 1_000}s` },
    'kube-apiserver': auditFlags(folder, node),
  });
  mac = await bench.join(node);
  kubectl = createKubectlDriver(bench);
});
after(async () => {
  stop.abort();
  await bench?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the certificate of the agent's server on a new connection, verified for the Node's address. */
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

/** Certificates in the order of their first request. */
const used = (requests: readonly NodeRequest[]): string[] => [...new Set(requests.map(one => one.certificate))];

const readySince = async (): Promise<string | undefined> =>
  (await bench.admin.get(nodes, { name: node })).status?.conditions?.find(
    ({ type, status }) => type === 'Ready' && status === 'True',
  )?.lastTransitionTime;

test('a running agent replaces both certificates without interrupting lease, watches and kubectl logs -f', {
  skip,
}, async () => {
  const approving = approveServing({ client: bench.admin, clock: systemClock, nodes: [node], signal: stop.signal });
  const pid = await mac.pid();
  await kubectl.createPod('counts', { node, image, script: COUNTS });
  await kubectl.awaitPhase('counts', 'Running');
  const since = await readySince();
  const following = bench.kubectl.start(['logs', '-f', 'counts']);
  const shown: string[] = [];

  // The last watch on the first connection ends a minute after its certificate was replaced. More certificates are issued meanwhile.
  const requests = await eventually(
    async () => {
      const certificate = hashOf(await presented());
      if (shown.at(-1) !== certificate) shown.push(certificate);
      const all = readNodeRequests(folder);
      const [first, second] = used(all);
      const idle = all.every(({ certificate: by, endedAt }) => by !== first || endedAt !== undefined);
      return second !== undefined && shown.length >= 3 && idle && all;
    },
    {
      deadline: seconds(180),
      interval: seconds(0.5),
      what: 'three serving certificates, and the end of the first client certificate',
    },
  );

  assert.equal(new Set(shown).size, shown.length, 'a serving certificate that was replaced is not presented again');
  assertReplaced(requests);
  // A renewed certificate is on disk for a moment before its first use.
  await eventually(async () => hashOf(await presented()) === hashOf(onDisk('serving')));
  await eventually(() => used(readNodeRequests(folder)).at(-1) === hashOf(onDisk('client')));
  assert.equal(await mac.pid(), pid, 'the same process');
  assert.equal(await readySince(), since, 'the Node was Ready all the time');

  // Watches work on the new connections: the agent observes a new Pod and serves logs and exec.
  await kubectl.createPod('afterwards', { node, image, script: 'echo observed' });
  await kubectl.awaitPhase('afterwards', 'Succeeded');
  assert.equal(await kubectl.ok('exec', 'counts', '--', 'echo', 'here'), 'here\n');
  const before = following.output().length;
  await eventually(() => following.output().length > before, { what: 'the followed log to grow' });
  assert.equal(following.child.exitCode, null);
  const lines = following.output().trimEnd().split('\n');
  assert.deepEqual(
    lines.slice(0, -1),
    lines.slice(0, -1).map((_, index) => `${index + 1}`),
    'no line is missing or duplicated',
  );
  await following.stop();
  stop.abort();
  await approving;
});

/** Every certificate renewed the lease, and none started a request after its successor did. */
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
    const late = next ? mine.filter(({ at }) => at > next.at + IN_FLIGHT) : [];
    assert.deepEqual(late, [], `certificate ${index} was used after it was replaced`);
  }
}

/** Tolerance in ms for a request that was sent before the change and arrived after it. */
const IN_FLIGHT = 500;
