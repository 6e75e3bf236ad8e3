import { inputOf } from '../processes/pipe.ts';
import { processesOf } from '../processes/process-table.ts';
import { runAndOr, type Scope } from './interpret.ts';
import { ExitShell } from './leave.ts';
import { fork } from './shell-state.ts';
import type { AndOr } from './syntax.ts';

/** `command &`: a process of its own, with nothing to read; it lives on when its shell ends. */
export function startBackground(scope: Scope, item: AndOr): void {
  const { state, streams } = scope;
  const entry = processesOf(state.mac).start({
    argv: [firstWord(item) ?? state.name],
    user: state.user,
    session: state.session,
    parent: state.pid,
    body: async process => {
      const inner = fork(state, process.signal);
      try {
        return await runAndOr({ state: inner, streams: { ...streams, stdin: inputOf('') }, checked: false }, item);
      } catch (error) {
        if (error instanceof ExitShell) return error.code;
        throw error;
      }
    },
  });
  state.lastBackground = entry.pid;
  state.status = 0;
  const ended: Promise<unknown> = entry.exited.then(() => state.background.delete(ended));
  state.background.add(ended);
}

function firstWord(item: AndOr): string | undefined {
  const command = item.first.commands[0];
  const part = command?.type === 'simple' ? command.words[0]?.parts[0] : undefined;
  return part?.type === 'text' ? part.text : undefined;
}
