import type { Mac } from '../mac.ts';
import { processesOf, type Signal } from '../processes/process-table.ts';
import type { User } from '../user.ts';

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

/** `9`, `KILL`, `SIGKILL`; undefined for what is no signal here. */
export function signalOf(word: string): Signal | undefined {
  const name = `SIG${word.toUpperCase().replace(/^SIG/, '')}`;
  return NUMBERS[word] ?? Object.values(NUMBERS).find(signal => signal === name);
}

interface Words {
  err(text: string): void;
  complain(pid: string, words: string): string;
}

/** `kill [-signal] pid…`; signal 0 only asks whether the process is there. */
export function sendSignals(
  { mac, user }: { readonly mac: Mac; readonly user: User },
  argv: readonly string[],
  words: Words,
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
