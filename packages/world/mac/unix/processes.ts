import type { Mac, Program, Run, User } from '../mac.ts';
import { type Process, processesOf, type Signal } from '../processes/process-table.ts';
import { parseOptions, refuseForm } from './getopt.ts';

const NUMBERS: Readonly<Record<string, Signal>> = {
  '1': 'SIGHUP',
  '2': 'SIGINT',
  '3': 'SIGQUIT',
  '6': 'SIGABRT',
  '9': 'SIGKILL',
  '13': 'SIGPIPE',
  '15': 'SIGTERM',
  '30': 'SIGUSR1',
  '31': 'SIGUSR2',
};

/** `9`, `KILL`, `SIGKILL`; undefined for an unknown signal. */
function signalOf(word: string): Signal | undefined {
  const name = `SIG${word.toUpperCase().replace(/^SIG/, '')}`;
  return NUMBERS[word] ?? Object.values(NUMBERS).find(signal => signal === name);
}

interface KillMessages {
  err(text: string): void;
  complain(pid: string, words: string): string;
}

/** `kill [-signal] pid…`; signal 0 only checks whether the process exists. */
export function sendSignals(
  { mac, user }: { readonly mac: Mac; readonly user: User },
  argv: readonly string[],
  words: KillMessages,
): number {
  const rest = argv.slice(1);
  let asked = 'TERM';
  if (rest[0] === '-s') asked = rest.splice(0, 2)[1] ?? '';
  else if (rest[0]?.startsWith('-') && rest[0] !== '--') asked = (rest.shift() ?? '').slice(1);
  if (rest[0] === '--') rest.shift();
  const signal = signalOf(asked);
  if (!signal && asked !== '0') {
    words.err(`kill: unknown signal ${asked}\n`);
    return 1;
  }
  let failures = 0;
  for (const pid of rest) {
    const problem = send(mac, user, { pid: Number(pid), signal });
    if (!problem) continue;
    failures += 1;
    words.err(words.complain(pid, problem));
  }
  return failures > 0 ? 1 : 0;
}

function send(
  mac: Mac,
  user: User,
  { pid, signal }: { readonly pid: number; readonly signal: Signal | undefined },
): string | undefined {
  const table = processesOf(mac);
  const process = table.get(pid);
  if (!process) return 'No such process';
  if (user.uid !== 0 && user.uid !== process.user.uid) return 'Operation not permitted';
  if (signal) table.signal(pid, signal);
  return undefined;
}

export const kill: Program = run =>
  sendSignals(run, run.argv, { err: run.err, complain: (pid, words) => `kill: ${pid}: ${words}\n` });

interface KillallCall {
  readonly names: readonly string[];
  readonly signal: string;
  readonly quiet: boolean;
}

/** Undefined for a flag that is not modelled. */
function readKillall(argv: readonly string[]): KillallCall | undefined {
  const names = argv.slice(1);
  let signal = 'TERM';
  let quiet = false;
  while (names[0]?.startsWith('-')) {
    const flag = (names.shift() ?? '').slice(1);
    if (flag === 's' || flag === 'u') return undefined;
    if (flag === 'q') quiet = true;
    else signal = flag;
  }
  return { names, signal, quiet };
}

/** killall: exits with 1 if there is nothing to signal, which broke the restart of the login window (I08). */
export const killall: Program = run => {
  const call = readKillall(run.argv);
  if (!call) return refuseForm(run);
  const signal = signalOf(call.signal);
  if (!signal) {
    run.err(`killall: unknown signal ${call.signal}; valid signals:\n`);
    return 1;
  }
  const table = processesOf(run.mac);
  const nothing =
    run.user.uid === 0 ? 'No matching processes were found\n' : 'No matching processes belonging to you were found\n';
  let failed = call.names.length === 0 ? 1 : 0;
  for (const name of call.names) {
    const own = table.find(name).filter(process => run.user.uid === 0 || process.user.uid === run.user.uid);
    for (const process of own) table.signal(process.pid, signal);
    if (own.length > 0) continue;
    failed = 1;
    if (!call.quiet) run.err(nothing);
  }
  return failed;
};

const selected = (
  run: Run,
  pattern: string,
  options: { readonly full: boolean; readonly exact: boolean },
): Process[] => {
  const expression = new RegExp(options.exact ? `^(?:${pattern})$` : pattern);
  return processesOf(run.mac)
    .find()
    .filter(process => expression.test(options.full ? process.argv.join(' ') : process.name));
};

export const pgrep: Program = run => {
  const options = parseOptions(run, { letters: 'fxlaqnou:', usage: 'pgrep [-Lafilnoqvx] pattern ...', usageCode: 2 });
  if (typeof options === 'number') return options;
  const [pattern] = options.operands;
  if (pattern === undefined) return 2;
  const found = selected(run, pattern, { full: options.has('f'), exact: options.has('x') }).filter(
    process =>
      !options.has('u') || process.user.name === options.value('u') || String(process.user.uid) === options.value('u'),
  );
  if (!options.has('q'))
    for (const process of found)
      run.out(
        `${process.pid}${options.has('l') ? ` ${options.has('f') ? process.argv.join(' ') : process.name}` : ''}\n`,
      );
  return found.length > 0 ? 0 : 1;
};

export const pkill: Program = run => {
  const words = run.argv.slice(1);
  const signal = /^-[A-Z0-9]+$/.test(words[0] ?? '') ? signalOf((words.shift() ?? '').slice(1)) : 'SIGTERM';
  const options = parseOptions({ ...run, argv: ['pkill', ...words] }, { letters: 'fx', usageCode: 2 });
  if (typeof options === 'number') return options;
  const [pattern] = options.operands;
  if (pattern === undefined || !signal) return 2;
  const found = selected(run, pattern, { full: options.has('f'), exact: options.has('x') }).filter(
    process => run.user.uid === 0 || process.user.uid === run.user.uid,
  );
  for (const { pid } of found) processesOf(run.mac).signal(pid, signal);
  return found.length > 0 ? 0 : 1;
};

type PsColumn = (process: Process, run: Run) => string;

const COLUMNS: Readonly<Record<string, { readonly title: string; readonly value: PsColumn }>> = {
  pid: { title: '  PID', value: ({ pid }) => String(pid).padStart(5) },
  ppid: { title: ' PPID', value: ({ parent }) => String(parent).padStart(5) },
  user: { title: 'USER ', value: ({ user }) => user.name },
  uid: { title: '  UID', value: ({ user }) => String(user.uid).padStart(5) },
  comm: { title: 'COMM', value: ({ argv }) => argv[0] ?? '' },
  ucomm: { title: 'UCOMM', value: ({ name }) => name },
  command: { title: 'COMMAND', value: ({ argv }) => argv.join(' ') },
  args: { title: 'ARGS', value: ({ argv }) => argv.join(' ') },
  etime: {
    title: 'ELAPSED',
    value: ({ started }, run) => elapsed(run.mac.around.clock.now() - started).padStart(11),
  },
  stat: { title: 'STAT', value: () => 'S   ' },
  // Both derived: CPU time and memory of a process are not modelled.
  time: { title: '     TIME', value: ({ started }, run) => cpuTime(run.mac.around.clock.now() - started).padStart(9) },
  rss: { title: '   RSS', value: () => '20480'.padStart(6) },
};

/** `m:ss.hh`, for a process that is busy a tenth of its lifetime. */
function cpuTime(milliseconds: number): string {
  const hundredths = Math.floor(Math.max(0, milliseconds) / 100);
  const seconds = (hundredths / 100) % 60;
  return `${Math.floor(hundredths / 6_000)}:${seconds.toFixed(2).padStart(5, '0')}`;
}

/** `[[dd-]hh:]mm:ss`, whole seconds, in the format of BSD's ps(1). */
function elapsed(milliseconds: number): string {
  const total = Math.max(0, Math.floor(milliseconds / 1_000));
  const two = (number: number): string => String(Math.floor(number)).padStart(2, '0');
  const days = Math.floor(total / 86_400);
  const hours = Math.floor(total / 3_600) % 24;
  const clock = `${two((total / 60) % 60)}:${two(total % 60)}`;
  if (days > 0) return `${two(days)}-${two(hours)}:${clock}`;
  return hours > 0 ? `${two(hours)}:${clock}` : clock;
}

/** ps: `-p pid`, `-ax`, `-o columns` with or without titles. */
export const ps: Program = run => {
  const dashed = run.argv.map((word, index) => (index > 0 && /^a?u?x$/.test(word) ? '-ax' : word));
  const options = parseOptions(
    { ...run, argv: dashed },
    { letters: 'axAecp:o:wj', usage: 'ps [-AaCcEefhjlMmrSTvwXx] [-O fmt | -o fmt] [-p pid[,pid]]' },
  );
  if (typeof options === 'number') return options;
  const columns = (options.value('o') ?? 'pid,command').split(',').map(column => column.split('='));
  if (columns.some(([name = '']) => !COLUMNS[name])) return refuseForm(run, `${options.value('o')}: keyword not found`);
  const pids = options.value('p')?.split(',').map(Number);
  const found = processesOf(run.mac)
    .find()
    .filter(({ pid }) => !pids || pids.includes(pid));
  const titles = columns.map(([name = '', title]) => title ?? COLUMNS[name]?.title ?? '');
  if (titles.some(title => title !== '')) run.out(`${titles.join(' ')}\n`);
  for (const process of found)
    run.out(`${columns.map(([name = '']) => COLUMNS[name]?.value(process, run) ?? '').join(' ')}\n`);
  return found.length > 0 ? 0 : 1;
};
