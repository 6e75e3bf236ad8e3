/** A parent to be killed: creates a network with a program in it, prints what would be left, and waits. */
import { spawn } from 'node:child_process';
import { createHostNetwork } from '../host-network/host-network.ts';

const network = await createHostNetwork({ name: 'orphan', addresses: 1 });
const [command, ...argv] = network.inside(['sleep', '600']);
const { pid } = spawn(command, argv, { stdio: 'ignore', detached: true });
process.stdout.write(`${JSON.stringify({ namespace: network.namespace, gateway: network.gateway, pid })}\n`);
setInterval(() => {}, 60_000);
