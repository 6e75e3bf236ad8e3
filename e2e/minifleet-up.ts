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
  signal(name: NodeJS.Signals): Promise<number | null>;
}

export async function startUp(): Promise<RunningUp> {
  const child = spawn(process.execPath, ['packages/cli/main.ts', 'up'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += String(chunk)));
  const exited = new Promise<number | null>(resolve => child.once('exit', resolve));
  const printed = (pattern: RegExp): Promise<string> =>
    eventually(() => pattern.exec(output)?.[1] ?? null, { what: `${pattern} in:\n${output}`, deadline: seconds(60) });
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
    signal(name) {
      child.kill(name);
      return exited;
    },
  };
}
