/** Runs the given program in private namespaces and prints the words of its first line as JSON, to be killed by a test. */
import { runInPrivateNamespaces } from '../linux-node/private-namespaces.ts';

let printed = false;
await runInPrivateNamespaces({
  argv: process.argv.slice(2),
  addresses: [],
  environment: {},
  eachLine(line) {
    if (!printed) process.stdout.write(`${JSON.stringify(line.split(' '))}\n`);
    printed = true;
  },
});
