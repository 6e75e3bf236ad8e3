import { basename } from 'node:path/posix';
import type { Mac } from '../mac.ts';
import type { ExitReason, Process, ProcessOptions, ProcessTable, Signal } from './process-table.ts';

interface ProcessEntry {
  readonly process: Process;
  readonly options: ProcessOptions;
  readonly finish: (reason: ExitReason) => void;
}

/** macOS assigns pids in ascending order up to this one and then starts over (derived: PID_MAX of xnu). */
const LAST_PID = 99_998;

export function createProcessTable(mac: Mac): ProcessTable {
  const entries = new Map<number, ProcessEntry>();
  const exitListeners = new Set<(process: Process, reason: ExitReason) => void>();
  const startListeners = new Set<(process: Process) => void>();
  let lastPid = 300;

  const nextPid = (): number => {
    do lastPid = lastPid >= LAST_PID ? 301 : lastPid + 1;
    while (entries.has(lastPid));
    return lastPid;
  };

  const start = (options: ProcessOptions): Process => {
    const entry = createEntry(mac, options, {
      pid: nextPid(),
      finished(process, reason) {
        entries.delete(process.pid);
        mac.around.journal.add(`mac/${mac.options.name}`, 'process exit', `${process.name} ${describe(reason)}`);
        for (const listener of [...exitListeners]) listener(process, reason);
      },
    });
    entries.set(entry.process.pid, entry);
    mac.around.journal.add(`mac/${mac.options.name}`, 'process start', options.argv.join(' '));
    for (const listener of [...startListeners]) listener(entry.process);
    run(entry);
    return entry.process;
  };

  const signal = (pid: number, name: Signal): boolean => {
    const entry = entries.get(pid);
    if (!entry) return false;
    if (entry.options.child) entry.options.child.kill(name);
    else if (name === 'SIGKILL' || entry.options.onSignal?.(name, entry.process) !== 'handled')
      entry.finish({ signal: name });
    return true;
  };

  return {
    start,
    signal,
    end(pid, reason) {
      const entry = entries.get(pid);
      // Also kill a real child, which would otherwise outlive its Mac.
      entry?.options.child?.kill('SIGKILL');
      entry?.finish(reason);
    },
    get: pid => entries.get(pid)?.process,
    find: name =>
      [...entries.values()].map(({ process }) => process).filter(({ name: own }) => name === undefined || own === name),
    onExit: listener => addTo(exitListeners, listener),
    onStart: listener => addTo(startListeners, listener),
    nextPid,
  };
}

interface ProcessEntryDeps {
  readonly pid: number;
  readonly finished: (process: Process, reason: ExitReason) => void;
}

function createEntry(mac: Mac, options: ProcessOptions, { pid, finished }: ProcessEntryDeps): ProcessEntry {
  const abort = new AbortController();
  const { promise, resolve } = Promise.withResolvers<ExitReason>();
  let exit: ExitReason | undefined;
  const process: Process = {
    pid,
    parent: options.parent ?? 1,
    user: options.user,
    session: options.session,
    argv: options.argv,
    name: basename(options.argv[0] ?? ''),
    started: mac.around.clock.now(),
    signal: abort.signal,
    exited: promise,
    get exit() {
      return exit;
    },
  };
  const finish = (reason: ExitReason): void => {
    if (exit) return;
    exit = reason;
    abort.abort();
    resolve(reason);
    finished(process, reason);
  };
  return { process, options, finish };
}

function run({ process, options, finish }: ProcessEntry): void {
  options.child?.once('error', () => finish({ code: 127 }));
  options.child?.once('exit', (code, name) => finish(name ? { signal: name as Signal } : { code: code ?? 0 }));
  if (!options.body) return;
  void options.body(process).then(
    code => finish({ code }),
    () => finish({ code: 1 }),
  );
}

function addTo<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const describe = (reason: ExitReason): string => {
  if ('code' in reason) return `with code ${reason.code}`;
  return 'signal' in reason ? `by ${reason.signal}` : `by ${reason.reason}`;
};
