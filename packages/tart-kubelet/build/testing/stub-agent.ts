/** Replaces the agent in tests of the executable: prints its identity, runs one command of its Mac, and keeps running. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadScript } from '@minifleet/host/testing/internals';
import { pino } from 'pino';
import { WebSocketServer } from 'ws';

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  strict: false,
  allowPositionals: true,
  options: { version: { type: 'boolean' }, script: { type: 'string' }, 'state-dir': { type: 'string' } },
});

if (values.version) process.stdout.write(`stub ${process.version} ${process.arch}\n`);
else if (typeof values.script === 'string') process.stdout.write(loadScript(values.script));
else await stay();

async function stay(): Promise<void> {
  const log = pino();
  new WebSocketServer({ noServer: true }).close();
  for (const command of positionals) log.info({ command, output: run(command.split(' ')) });
  const server = createServer((_, answer) => answer.end('stub')).listen(0);
  await once(server, 'listening');
  const directory = values['state-dir'];
  if (typeof directory === 'string')
    tell(directory, { pid: process.pid, port: (server.address() as AddressInfo).port });
  process.once('SIGTERM', () => process.exit(0));
}

function tell(directory: string, facts: Readonly<Record<string, number>>): void {
  mkdirSync(directory, { recursive: true });
  for (const [name, value] of Object.entries(facts)) writeFileSync(join(directory, name), String(value));
}

function run([program = '', ...args]: readonly string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { status, stderr } = error as { readonly status?: number; readonly stderr?: string };
    return `code ${status}: ${stderr ?? String(error)}`;
  }
}
