import { pause } from '@minifleet/clock';
import { type CommandShape, helpOf, parse, rootHelp, usageFailureText } from './command-line/parse-arguments.ts';
import type { TartCommand } from './commands/tart-command.ts';
import { collectTemporary } from './storage/temporary.ts';
import { hang, type TartCall, TartFailure, TartUsageFailure } from './tart-call.ts';

/** The version the facts describe. */
const VERSION = '2.32.1';

/** Each is loaded on demand, because the node agent calls `tart` often. */
const commands: Readonly<Record<string, () => Promise<TartCommand>>> = {
  create: async () => (await import('./commands/clone.ts')).create,
  clone: async () => (await import('./commands/clone.ts')).clone,
  run: async () => (await import('./commands/run.ts')).run,
  set: async () => (await import('./commands/set.ts')).set,
  get: async () => (await import('./commands/list.ts')).get,
  list: async () => (await import('./commands/list.ts')).list,
  login: async () => (await import('./commands/pull.ts')).login,
  logout: async () => (await import('./commands/pull.ts')).logout,
  ip: async () => (await import('./commands/ip.ts')).ip,
  exec: async () => (await import('./commands/ip.ts')).exec,
  pull: async () => (await import('./commands/pull.ts')).pull,
  push: async () => (await import('./commands/pull.ts')).push,
  import: async () => (await import('./commands/export.ts')).importVm,
  export: async () => (await import('./commands/export.ts')).exportVm,
  prune: async () => (await import('./commands/prune.ts')).prune,
  rename: async () => (await import('./commands/clone.ts')).rename,
  stop: async () => (await import('./commands/stop.ts')).stop,
  delete: async () => (await import('./commands/clone.ts')).remove,
  fqn: async () => (await import('./commands/pull.ts')).fqn,
  suspend: async () => (await import('./commands/stop.ts')).suspend,
};

/** Runs one call and returns its exit code. */
export async function runTart(call: TartCall): Promise<number> {
  const [word, ...rest] = call.argv;
  call.around.journal.add('tart', 'command', call.argv.join(' '));
  if (word === undefined || ['--help', '-h', 'help'].includes(word)) return showHelp(call);
  if (word === '--version') return print(call, VERSION);
  const command = await commands[word]?.();
  if (!command) return refuse(call, undefined, unknownWord(word));
  if (rest.includes('--help') && word !== 'exec') return print(call, helpOf(command.shape));
  const struck = await strike(call);
  return struck ?? perform(call, command, rest);
}

async function perform(call: TartCall, command: TartCommand, argv: readonly string[]): Promise<number> {
  try {
    const given = parse(command.shape, argv);
    if (!['pull', 'clone'].includes(command.shape.name)) collect(call);
    const code = await command.run(call, given);
    return typeof code === 'number' ? code : 0;
  } catch (error) {
    if (error instanceof TartUsageFailure) return refuse(call, command.shape, error.message);
    if (!(error instanceof TartFailure)) throw error;
    call.err(error.message);
    return error.exitCode;
  }
}

function collect(call: TartCall): void {
  try {
    collectTemporary(call);
  } catch (error) {
    call.err(`Failed to perform garbage collection: ${(error as Error).message}`);
  }
}

/** Injected faults for whole calls: slow, stuck, or failing with a given message. */
async function strike(call: TartCall): Promise<number | undefined> {
  const detail = ['tart', ...call.argv].join(' ');
  const fault = call.around.faults.strike({ place: 'tart', kind: 'command', detail });
  if (!fault) return undefined;
  call.around.journal.add('tart', `fault ${fault.type}`, detail);
  switch (fault.type) {
    case 'delay':
      await pause(call.around.clock, fault.by);
      return undefined;
    case 'hang':
      return hang(call);
    case 'drop':
      return call.process.dieBy('SIGKILL');
    case 'fail':
      call.err(fault.message);
      return fault.code;
    default:
      return fault satisfies never;
  }
}

const unknownWord = (word: string): string =>
  word.startsWith('-') ? `Unknown option '${word}'` : `Unexpected argument '${word}'`;

function refuse(call: TartCall, shape: CommandShape | undefined, message: string): number {
  if (/^(Unknown option|Unexpected argument|\d+ unexpected)/.test(message)) {
    call.around.journal.unmodelled('tart', `${call.argv.join(' ')}: ${message}`);
  }
  call.err(usageFailureText(shape, message));
  return 64;
}

async function showHelp(call: TartCall): Promise<number> {
  const loaded = await Promise.all(Object.values(commands).map(load => load()));
  return print(call, rootHelp(loaded.map(command => command.shape)));
}

function print(call: TartCall, text: string): number {
  call.out(text);
  return 0;
}
