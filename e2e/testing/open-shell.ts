import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Shell {
  /** Runs a command; `printed` includes standard error. */
  run(command: string): Promise<{ readonly code: number; readonly printed: string }>;
  /** Runs a last command and ends the shell. */
  close(last: string): Promise<void>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const END = 'end-of-command';

/** Opens a shell at the root of the repository that runs one command after the other. */
export function openShell(): Shell {
  const state = mkdtempSync(join(tmpdir(), 'minifleet-state-'));
  const shell = spawn('bash', ['--noprofile', '--norc'], {
    cwd: root,
    env: { ...process.env, XDG_STATE_HOME: state, KUBECONFIG: '' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let unread = '';
  let wake = (): void => undefined;
  const closed = new Promise<void>(resolve => shell.once('close', () => resolve()));
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    unread += text;
    wake();
  });
  const run = async (command: string): Promise<{ code: number; printed: string }> => {
    // Without a subshell, so that exports stay for the next command.
    shell.stdin.write(`{ ${command}\n} </dev/null 2>&1; echo "${END} $?"\n`);
    for (;;) {
      const found = new RegExp(`^([\\s\\S]*?)${END} (\\d+)\\n`).exec(unread);
      if (found) {
        unread = unread.slice(found[0].length);
        return { printed: found[1] ?? '', code: Number(found[2]) };
      }
      await new Promise<void>(resolve => {
        wake = resolve;
      });
    }
  };
  return {
    run,
    async close(last) {
      await run(last);
      shell.stdin.end('exit\n');
      await closed;
      rmSync(state, { recursive: true });
    },
  };
}
