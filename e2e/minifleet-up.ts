/** Runs `minifleet up` as a user does: as a process, with its output and its tools. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface RunningUp {
  readonly pid: number;
  /** Output so far. */
  output(): string;
  readonly kubeconfig: string;
  readonly tools: string;
  /** Runs a tool from the printed PATH with the printed kubeconfig; resolves to its standard output. */
  tool(name: string, ...args: readonly string[]): Promise<string>;
  /** Runs a command line that starts with `minifleet`, with the printed kubeconfig. */
  minifleet(line: string): Promise<EndedCommand>;
  signal(name: NodeJS.Signals): Promise<number | null>;
}

export interface EndedCommand {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

export interface StartUpOptions {
  readonly flags?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
}

/** Starts `up` with its own state directory, independent of any other `up` on this machine. */
export async function startUp({ flags = [], environment = process.env }: StartUpOptions = {}): Promise<RunningUp> {
  const state = mkdtempSync(join(tmpdir(), 'minifleet-state-'));
  const own = { ...environment, XDG_STATE_HOME: state };
  const child = spawn(process.execPath, ['packages/dev/minifleet.js', 'up', ...flags], {
    cwd: root,
    env: own,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += String(chunk)));
  const ended = new AbortController();
  const exited = new Promise<number | null>(resolve => {
    child.once('close', code => {
      rmSync(state, { recursive: true });
      ended.abort(new Error(`minifleet up ended with ${code}:\n${output}`));
      resolve(code);
    });
  });
  const printed = async (pattern: RegExp): Promise<string> => {
    const found = await eventually(() => pattern.exec(output)?.[1] ?? ended.signal.aborted, {
      what: `${pattern} in:\n${output}`,
      deadline: seconds(180),
    });
    if (typeof found === 'string') return found;
    throw ended.signal.reason;
  };
  const kubeconfig = await printed(/export KUBECONFIG=(\S+)/);
  const tools = await printed(/export PATH=(\S+):\$PATH/);
  await printed(/(Ctrl-C, or)/);
  const environmentOfTools = { KUBECONFIG: kubeconfig, HOME: tools, XDG_STATE_HOME: state };
  return {
    pid: child.pid ?? 0,
    output: () => output,
    kubeconfig,
    tools,
    async tool(name, ...args) {
      const { stdout } = await promisify(execFile)(`${tools}/${name}`, args, { cwd: root, env: environmentOfTools });
      return stdout;
    },
    minifleet: line => runMinifleet(line, { ...environmentOfTools, PATH: process.env['PATH'] }),
    signal(name) {
      child.kill(name);
      return exited;
    },
  };
}

/** Runs a command line that starts with `minifleet`. */
export function runMinifleet(line: string, environment: NodeJS.ProcessEnv): Promise<EndedCommand> {
  const [, ...argv] = line.split(' ');
  return new Promise(resolve => {
    execFile(
      process.execPath,
      ['packages/dev/minifleet.js', ...argv],
      { cwd: root, env: environment },
      (error, output, errors) => resolve({ code: error === null ? 0 : Number(error.code), output, errors }),
    );
  });
}
