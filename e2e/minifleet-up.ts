/** `minifleet up` as a user runs it: the program itself, what it prints, and the tools it offers. */
import { execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface RunningUp {
  readonly pid: number;
  /** Everything printed so far. */
  output(): string;
  readonly kubeconfig: string;
  readonly tools: string;
  /** Runs one of the offered tools with the printed kubeconfig; resolves to what it printed. */
  tool(name: string, ...args: readonly string[]): Promise<string>;
  /** Runs a printed line that starts with `npm run minifleet --`, as a program of its own. */
  minifleet(line: string): Promise<Ended>;
  signal(name: NodeJS.Signals): Promise<number | null>;
}

export interface Ended {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

export async function startUp(environment: NodeJS.ProcessEnv = process.env): Promise<RunningUp> {
  const child = spawn(process.execPath, ['packages/cli/main.ts', 'up'], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += String(chunk)));
  const exited = new Promise<number | null>(resolve => child.once('exit', resolve));
  const printed = (pattern: RegExp): Promise<string> =>
    eventually(() => pattern.exec(output)?.[1] ?? null, { what: `${pattern} in:\n${output}`, deadline: seconds(120) });
  const kubeconfig = await printed(/export KUBECONFIG=(\S+)/);
  const tools = await printed(/export PATH=(\S+):\$PATH/);
  await printed(/(Ctrl-C)/);
  return {
    pid: child.pid ?? 0,
    output: () => output,
    kubeconfig,
    tools,
    async tool(name, ...args) {
      const { stdout } = await promisify(execFile)(`${tools}/${name}`, args, {
        cwd: root,
        env: { KUBECONFIG: kubeconfig, HOME: tools },
      });
      return stdout;
    },
    minifleet(line) {
      const argv = line.replace('npm run minifleet -- ', '').split(' ');
      const environment = { PATH: process.env['PATH'], HOME: tools };
      return new Promise(resolve => {
        execFile(
          process.execPath,
          ['packages/cli/main.ts', ...argv],
          { cwd: root, env: environment },
          (error, output, errors) => resolve({ code: error === null ? 0 : Number(error.code), output, errors }),
        );
      });
    },
    signal(name) {
      child.kill(name);
      return exited;
    },
  };
}
