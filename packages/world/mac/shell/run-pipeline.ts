import { inputOf, Pipe } from '../processes/pipe.ts';
import { processesOf } from '../processes/process-table.ts';
import { exitStatus, runAndOr, runCommand, type ShellScope } from './interpret.ts';
import { ExitShell, fork } from './shell-state.ts';
import type { AndOr, Pipeline, ShellCommand } from './syntax.ts';

/** Runs the commands of a pipeline concurrently, each reading the output of the previous one. */
export async function runPipeline(scope: ShellScope, pipeline: Pipeline): Promise<number> {
  const inner = pipeline.negated ? { ...scope, checked: true } : scope;
  const [only] = pipeline.commands;
  const status =
    pipeline.commands.length === 1 && only
      ? await runCommand.run(inner, only, { stdin: false, out: false })
      : await runConnected(inner, pipeline.commands);
  return pipeline.negated ? Number(status === 0) : status;
}

async function runConnected(scope: ShellScope, commands: readonly ShellCommand[]): Promise<number> {
  const stages = commands.map(() => new AbortController());
  const pipes = commands.slice(1).map((_, index) => new Pipe(() => stages[index]?.abort()));
  const statuses = await Promise.all(
    commands.map(async (command, index) => {
      const last = index === commands.length - 1;
      const before = pipes[index - 1];
      const after = pipes[index];
      const streams = {
        stdin: before ?? scope.streams.stdin,
        out: after ?? scope.streams.out,
        err: scope.streams.err,
      };
      const inside = last && scope.state.flavour.lastOfPipelineInside;
      const signal = AbortSignal.any([scope.state.signal, (stages[index] as AbortController).signal]);
      const state = inside ? scope.state : fork(scope.state, signal);
      const piped = { stdin: before !== undefined, out: after !== undefined };
      const run = () => runCommand.run({ ...scope, state, streams }, command, piped);
      const status = await (inside ? run() : exitStatus({ ...scope, state, streams }, run));
      after?.end();
      before?.abandon();
      return status;
    }),
  );
  const failed = statuses.findLast(status => status !== 0);
  return scope.state.options.pipefail ? (failed ?? 0) : (statuses.at(-1) ?? 0);
}

/** `command &`: a separate process with empty input, which continues when its shell exits. */
export function startBackground(scope: ShellScope, item: AndOr): void {
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
