/** Program that runs inside the network of a simulated Mac: listens on its loopback, sends the socket to its parent, and exits. */

import { createServer } from 'node:net';
import process from 'node:process';

const server = createServer();
server.listen(0, '127.0.0.1', () => process.send?.('listening', server, () => process.exit(0)));
