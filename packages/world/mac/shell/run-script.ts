import type { Run } from '../mac.ts';
import { processesOf } from '../processes/process-table.ts';
import type { Flavour } from './flavour.ts';
import { parseFailure, runToExit, type ShellScope } from './interpret.ts';
import { parseScript } from './parse-script.ts';

import type { ShellState } from './shell-state.ts';
import { ShellSyntaxError } from './source.ts';
import type { CommandList } from './syntax.ts';

interface ShellScript {
  readonly text: string;
  readonly flavour: Flavour;
  /** Name in messages: `zsh`, `bash`, the path of a script. */
  readonly name: string;
  readonly positional: readonly string[];
  readonly flags: readonly string[];
}

/** Runs a text as a complete shell process. */
export async function runScript(run: Run, script: ShellScript): Promise<number> {
  const state = createState(run, script);
  const scope: ShellScope = {
    state,
    streams: { stdin: run.stdin, out: { write: run.out }, err: { write: run.err } },
    checked: false,
  };
  const list = parse(scope, script.text);
  return typeof list === 'number' ? list : runToExit(scope, list);
}

function parse(scope: ShellScope, text: string): CommandList | number {
  try {
    return parseOnce(text);
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error;
    const failure = parseFailure(scope, error);
    scope.streams.err.write(`${scope.state.flavour.prefix(scope.state.name, error.line)}${failure.message}\n`);
    return failure.code;
  }
}

/** Parsed scripts by their text. A fleet of simulated Macs runs the same few scripts thousands of times. */
const PARSED = new Map<string, CommandList>();
const PARSED_AT_MOST = 500;

function parseOnce(text: string): CommandList {
  const known = PARSED.get(text);
  if (known) return known;
  const list = parseScript(text);
  if (PARSED.size >= PARSED_AT_MOST) PARSED.clear();
  PARSED.set(text, list);
  return list;
}

function createState(run: Run, { flavour, name, positional, flags }: ShellScript): ShellState {
  const has = (letter: string): boolean => flags.some(flag => flag.startsWith('-') && flag.includes(letter));
  return {
    mac: run.mac,
    user: run.user,
    session: run.session,
    flavour,
    name,
    pid: processesOf(run.mac).nextPid(),
    signal: run.signal,
    positional,
    variables: new Map(Object.entries(run.environment)),
    exported: new Set(Object.keys(run.environment)),
    readonlyNames: new Set(),
    functions: new Map(),
    options: {
      errexit: has('e'),
      nounset: has('u'),
      xtrace: has('x'),
      noglob: has('f'),
      pipefail: flags.includes('pipefail'),
    },
    traps: new Map(),
    directory: run.directory,
    umask: 0o022,
    status: 0,
    line: 1,
    lastBackground: undefined,
    background: new Set(),
    calls: [],
  };
}
