/** Real kubectl → real API server → our server → real processes, both with the declared feature (WebSockets) and without (SPDY). */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type Client, connectClient, readKubeconfig } from '@minifleet/kube';
import { createHostNetwork, type HostNetwork, type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import { type OpenScreen, openScreen, viewScreen } from '@minifleet/world/testing/tart';
import { type Kubectl, kubectlOf } from './testing/kubectl.ts';
import { exited, type LocalGuest, localGuest, running } from './testing/local-guest.ts';
import { type ServedNode, startServedNode } from './testing/served-node.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'minifleet-server-'));
const FEATURE = 'ExtendWebSocketsToKubelet';

/** macOS has an `nc`; this machine may not. */
function writeRelay(): string {
  const script = `#!${process.execPath}
const socket = require('net').connect(Number(process.argv[3]), process.argv[2]);
socket.on('error', error => { console.error(error.message); process.exit(1); });
process.stdin.pipe(socket); socket.pipe(process.stdout);`;
  writeFileSync(path.join(folder, 'nc'), script);
  chmodSync(path.join(folder, 'nc'), 0o755);
  return folder;
}

/** Shouts back what it hears, on a port of loopback. */
async function startEcho(): Promise<{ server: Server; port: number }> {
  const server = createServer({ allowHalfOpen: true }, socket => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

async function conversation(port: number, message: Buffer): Promise<Buffer> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.end(message);
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

const digest = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

describe('kubectl against the server of a Node', { skip: noHostNetwork }, () => {
  let cluster: LocalCluster;
  let network: HostNetwork;
  let admin: Client;
  let kubectl: Kubectl;
  const served: ServedNode[] = [];

  before(async () => {
    network = await createHostNetwork({ name: 'kubelet', localAddresses: 2 });
    cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver', 'kube-controller-manager'] });
    admin = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
    kubectl = await kubectlOf(cluster.kubeconfigs.admin.path, folder);
    await eventually(async () => (await kubectl.run(['get', 'serviceaccount', 'default'])).code === 0);
  });
  after(async () => {
    for (const node of served) await node.stop();
    await admin.close();
    await cluster.stop();
    await network.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [index, declaredFeatures] of [[], [FEATURE]].entries()) {
    describe(declaredFeatures.length > 0 ? `with ${FEATURE} declared` : 'with no feature declared', () => {
      const name = index === 0 ? 'spdy' : 'websocket';
      let guest: LocalGuest;
      let lonely: LocalGuest;
      let screen: OpenScreen;

      before(async () => {
        screen = await openScreen(name);
        guest = localGuest({ name, folder, address: '127.0.0.1', screen: screen.place });
        lonely = localGuest({ name: `${name}-lonely`, folder, path: writeRelay() });
        const address = network.localAddresses[index] ?? '';
        const guests = [guest, lonely];
        served.push(await startServedNode({ cluster, admin, name: `mac-${name}`, address, declaredFeatures, guests }));
      });
      after(() => screen.close());

      test('the API server proxies exec to the Node only if the Node declares the feature', async () => {
        await kubectl.run(['exec', name, '--', 'true']);
        const { stdout } = await kubectl.run(['get', '--raw', '/metrics']);
        const passedThrough =
          /websocket_streaming_requests_total\{proxy_type="proxied_to_kubelet",subresource="exec"\} [1-9]/;
        assert.equal(passedThrough.test(stdout), declaredFeatures.length > 0);
      });

      test('kubectl logs supports --tail, --since, --timestamps and --limit-bytes', async () => {
        for (let line = 1; line <= 100; line += 1) guest.say(`line ${line}`, line <= 50 ? { at: 1_000 } : {});
        const all = await kubectl.run(['logs', name]);
        assert.deepEqual([all.code, all.stdout.split('\n').length, all.stderr], [0, 101, '']);
        assert.equal((await kubectl.run(['logs', name, '--tail=2'])).stdout, 'line 99\nline 100\n');
        assert.match((await kubectl.run(['logs', name, '--since=1h'])).stdout, /^line 51\n/);
        assert.match((await kubectl.run(['logs', name, '--tail=1', '--timestamps'])).stdout, /^\d{4}-\S+Z line 100\n$/);
        assert.equal((await kubectl.run(['logs', name, '--limit-bytes=9'])).stdout, 'line 1\nli');
      });

      test('kubectl logs -f shows new lines and ends with the guest', async () => {
        const following = kubectl.start(['logs', '-f', '--tail=0', name]);
        // The server has the request once its reader waits for a change; before that, lines would be before its tail.
        await eventually(() => {
          guest.say('tick');
          return following.output().includes('tick');
        });
        guest.say('last words');
        guest.become(exited);
        assert.equal(await following.exited, 0);
        assert.match(following.output(), /last words\n$/);
        guest.become(running);
      });

      test('kubectl logs --previous shows the previous run, or an error if there is none', async () => {
        const none = await kubectl.run(['logs', '--previous', name]);
        assert.equal(none.code, 1);
        assert.match(none.stderr, new RegExp(`previous terminated container "main" in pod "${name}" not found`));
        guest.say('of the first run');
        guest.restart();
        guest.say('of the second run');
        assert.match((await kubectl.run(['logs', '--previous', '--tail=1', name])).stdout, /^of the first run\n$/);
        assert.equal((await kubectl.run(['logs', name])).stdout, 'of the second run\n');
      });

      test('kubectl exec returns stdout, stderr and the exit code', async () => {
        const ran = await kubectl.run(['exec', name, '--', 'sh', '-c', 'echo out; echo err >&2; exit 7']);
        assert.equal(ran.code, 7);
        assert.equal(ran.stdout, 'out\n');
        assert.match(ran.stderr, /^err\n/);
        assert.equal((await kubectl.run(['exec', name, '--', 'true'])).code, 0);
      });

      test('kubectl exec of a missing command fails with an error', async () => {
        const ran = await kubectl.run(['exec', name, '--', 'no-such-command']);
        assert.equal(ran.code, 1);
        assert.match(ran.stderr, /no-such-command/);
      });

      test('kubectl exec -i passes 20 MB through stdin and stdout, and the end of stdin', async () => {
        const bytes = randomBytes(20 * 1024 * 1024);
        const ran = await kubectl.run(['exec', '-i', name, '--', 'cat'], { input: bytes });
        assert.equal(ran.code, 0, ran.stderr);
        assert.equal(digest(Buffer.from(ran.stdout, 'latin1')), digest(bytes));
      });

      test('kubectl exec -i of a command that does not read stdin ends with its exit code', async () => {
        const ran = await kubectl.run(['exec', '-i', name, '--', 'sh', '-c', 'exit 3'], {
          input: randomBytes(12_000_000),
        });
        assert.equal(ran.code, 3, ran.stderr);
      });

      test('kubectl exec -it has a terminal with its size, and returns the exit code', async () => {
        const ran = await kubectl.atTerminal(['exec', '-it', name, '--', 'sh', '-c', 'tty; exit 7']);
        assert.equal(ran.code, 7, ran.stdout);
        assert.match(ran.stdout, /\/dev\/pts\/\d+/);
        await eventually(() => guest.sizes.includes('100x40'));
      });

      test('kubectl exec that is killed ends its command in the guest', async () => {
        const started = kubectl.start(['exec', name, '--', 'sleep', '1000']);
        await eventually(() => guest.commands.size === 1);
        started.child.kill('SIGKILL');
        await eventually(() => guest.commands.size === 0);
      });

      test('kubectl cp copies a file to the guest and back unchanged', async () => {
        const [there, back] = [path.join(folder, `${name}-there`), path.join(folder, `${name}-back`)];
        const source = path.join(folder, `${name}-source`);
        writeFileSync(source, randomBytes(3_000_000));
        const up = await kubectl.run(['cp', source, `${name}:${there}`]);
        assert.equal(up.code, 0, up.stderr);
        const down = await kubectl.run(['cp', `${name}:${there}`, back]);
        assert.equal(down.code, 0, down.stderr);
        assert.equal(digest(readFileSync(back)), digest(readFileSync(source)));
      });

      test('kubectl attach shows new output of the guest and rejects -i', async () => {
        const attached = kubectl.start(['attach', name]);
        await eventually(() => {
          guest.say('to who is attached');
          return attached.output().includes('to who is attached');
        });
        guest.say('also on stderr', { stream: 'stderr' });
        await eventually(() => attached.output().includes('also on stderr'));
        guest.become(exited);
        assert.equal(await attached.exited, 0);
        guest.become(running);
        const refused = await kubectl.run(['attach', '-i', name], { input: 'hello' });
        assert.match(refused.stderr, /has no stdin/);
      });

      test('kubectl port-forward serves many concurrent connections to the guest’s address', async t => {
        const echo = await startEcho();
        t.after(() => echo.server.close());
        const forwarding = kubectl.start(['port-forward', `pod/${name}`, `:${echo.port}`]);
        t.after(() => forwarding.stop());
        const port = Number((await eventually(() => /127\.0\.0\.1:(\d+)/.exec(forwarding.output())))[1]);
        const sizes = [0, 1, 1_000, 100_000, 3_000_000, 10, 20];
        await Promise.all(
          sizes.map(async size => {
            const message = randomBytes(size);
            assert.equal(digest(await conversation(port, message)), digest(message), `${size} bytes`);
          }),
        );
      });

      test('kubectl port-forward works without a guest address and reports a port without a listener', async t => {
        const echo = await startEcho();
        const forwarding = kubectl.start(['port-forward', `pod/${name}-lonely`, `:${echo.port}`]);
        t.after(() => forwarding.stop());
        const port = Number((await eventually(() => /127\.0\.0\.1:(\d+)/.exec(forwarding.output())))[1]);
        const message = randomBytes(200_000);
        assert.equal(digest(await conversation(port, message).then(bytes => bytes)), digest(message));
        await new Promise(resolve => echo.server.close(resolve));
        await conversation(port, Buffer.from('anyone?')).catch(() => undefined);
        await eventually(() => /no process in the guest listens on port|ECONNREFUSED/.test(forwarding.output()));
        await eventually(() => lonely.commands.size === 0);
      });

      test('kubectl port-forward to 5900 connects to the guest’s screen', async t => {
        const forwarding = kubectl.start(['port-forward', `pod/${name}`, ':5900']);
        t.after(() => forwarding.stop());
        const port = Number((await eventually(() => /127\.0\.0\.1:(\d+)/.exec(forwarding.output())))[1]);
        assert.deepEqual(await viewScreen({ port }), { security: [1], name, width: 1_024, height: 768 });
        assert.equal((await viewScreen({ port, version: '3.3', password: 'any' })).name, name);
      });

      test('kubectl port-forward to 5900 of a guest without a screen reports the required annotation', async t => {
        const forwarding = kubectl.start(['port-forward', `pod/${name}-lonely`, ':5900']);
        t.after(() => forwarding.stop());
        const port = Number((await eventually(() => /127\.0\.0\.1:(\d+)/.exec(forwarding.output())))[1]);
        await assert.rejects(viewScreen({ port }));
        await eventually(() => /recreate the Pod with the annotation minifleet\.dev\/screen/.test(forwarding.output()));
      });

      test('kubectl exec and logs report that a guest is still starting', async () => {
        guest.become({ phase: 'starting', since: 0 });
        const exec = await kubectl.run(['exec', name, '--', 'true']);
        assert.match(exec.stderr, /container not found \("main"\): the guest is starting/);
        const logs = await kubectl.run(['logs', name]);
        assert.match(logs.stderr, /container "main" in pod ".*" is waiting to start: ContainerCreating/);
        guest.become(running);
      });

      test('metrics, Pods and health are served through the API server’s node proxy', async () => {
        const raw = async (what: string): Promise<string> => {
          const ran = await kubectl.run(['get', '--raw', `/api/v1/nodes/mac-${name}/proxy/${what}`]);
          assert.equal(ran.code, 0, ran.stderr);
          return ran.stdout;
        };
        assert.match(
          await raw('metrics/resource'),
          new RegExp(`pod_cpu_usage_seconds_total{namespace="default",pod="${name}"} 2 1000\n`),
        );
        assert.equal(await raw('metrics'), 'tart_kubelet_guests 1\n');
        assert.equal(await raw('healthz'), 'ok');
        assert.equal(JSON.parse(await raw('pods')).items.length, 2);
        assert.equal(JSON.parse(await raw('stats/summary')).node.nodeName, `mac-${name}`);
      });
    });
  }
});
