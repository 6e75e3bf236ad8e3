import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { startLocalCluster } from '../start-local-cluster.ts';
import { noHostNetwork } from '../testing/host-network-support.ts';
import { createHostNetwork } from './host-network.ts';
import { ip } from './ip-command.ts';

/** Prints a line when it listens, and responds to every request. */
const SERVER = `require('node:http').createServer((_, answer) => answer.end('from inside'))
  .listen(8080, process.argv[1], () => console.log('listening'))`;

/** Requests the given address without verifying the certificate: only reachability is tested. */
const CLIENT = `process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  fetch(process.argv[1] + '/version').then(answer => console.log(answer.status))`;

function inside(argv: [string, ...string[]]) {
  const [command, ...rest] = argv;
  return spawn(command, rest, { stdio: ['ignore', 'pipe', 'ignore'] });
}

test('host network: a program in the namespace is reached at its address, and stop removes everything', {
  skip: noHostNetwork,
}, async () => {
  const network = await createHostNetwork({ name: 'test', addresses: 2, localAddresses: 1 });
  const [, address = ''] = network.addresses;
  const program = inside(network.inside([process.execPath, '-e', SERVER, address]));
  const ended = once(program, 'exit');
  await once(program.stdout, 'data');
  const answer = await fetch(`http://${address}:8080/`);
  assert.equal(await answer.text(), 'from inside');
  await network.stop();
  await ended;
  assert.ok(!(await ip('netns', 'list')).includes(network.namespace));
  assert.ok(!(await ip('-4', 'address', 'show')).includes(network.gateway));
});

test('host network: a server in this process responds on a local address outside loopback', {
  skip: noHostNetwork,
}, async t => {
  const network = await createHostNetwork({ name: 'test', addresses: 1, localAddresses: 1 });
  t.after(() => network.stop());
  const [address = ''] = network.localAddresses;
  const server = createServer((_, answer) => answer.end('from here')).listen(0, address);
  t.after(() => server.close());
  await once(server, 'listening');
  const bound = server.address();
  assert.ok(bound !== null && typeof bound === 'object');
  assert.equal(await (await fetch(`http://${address}:${bound.port}/`)).text(), 'from here');
});

test('host network: a program in the namespace reaches the API server at the gateway', {
  skip: noHostNetwork,
}, async t => {
  const network = await createHostNetwork({ name: 'test', addresses: 1 });
  t.after(() => network.stop());
  const cluster = await startLocalCluster({
    components: ['etcd', 'kube-apiserver'],
    serverAddresses: [network.gateway],
  });
  t.after(() => cluster.stop());
  const url = cluster.server.replace('127.0.0.1', network.gateway);
  const program = inside(network.inside([process.execPath, '-e', CLIENT, url]));
  const [status] = await once(program.stdout, 'data');
  assert.equal(String(status).trim(), '200');
});
