import { writeSync } from 'node:fs';
import process from 'node:process';
import { createCall } from './create-call.ts';
import { runTart } from './tart.ts';
import type { CallingProcess } from './tart-call.ts';

/** The executable: the only file that accesses the process and its environment. */
const argv = process.argv.slice(2);
// Matched by `pgrep -f 'tart run <name>'`.
process.title = ['tart', ...argv].join(' ');

const call = createCall({
  argv,
  environment: process.env,
  process: callingProcess(),
  out: line => write(1, `${line}\n`),
  err: line => write(2, `${line}\n`),
});
process.exit(await runTart(call));

function callingProcess(): CallingProcess {
  return {
    pid: process.pid,
    // Node's streams make a pipe non-blocking on first access.
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return process.stdout;
    },
    get stderr() {
      return process.stderr;
    },
    get terminal() {
      return process.stdout.isTTY ? { rows: process.stdout.rows, columns: process.stdout.columns } : undefined;
    },
    kill: (pid, signal) => void process.kill(pid, signal),
    onSignal: (signal, listener) => void process.on(signal, listener),
    dieBy,
    exit: code => process.exit(code),
    changeDirectory: path => process.chdir(path),
  };
}

function dieBy(signal: NodeJS.Signals): never {
  // Adding and removing a listener restores the default action, which Node had replaced for SIGPIPE.
  const nothing = (): void => undefined;
  if (signal !== 'SIGKILL') process.on(signal, nothing).removeListener(signal, nothing);
  process.kill(process.pid, signal);
  for (;;) sleep(1_000);
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** A write after the reader has closed its end kills the process, and the VM with it (facts 10.6, derived). */
function write(descriptor: number, text: string): void {
  let left = Buffer.from(text);
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(descriptor, left));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') dieBy('SIGPIPE');
      if (code !== 'EAGAIN') return;
      // The pipe is full and non-blocking.
      sleep(5);
    }
  }
}
