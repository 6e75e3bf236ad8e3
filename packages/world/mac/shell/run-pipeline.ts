import { Pipe } from '../processes/pipe.ts';
import { exitStatus, type Scope } from './interpret.ts';
import { runCommand } from './run-command.ts';
import { fork } from './shell-state.ts';
import type { Command, Pipeline } from './syntax.ts';

/** Runs the commands of a pipeline at the same time, each reading what the one before writes. */
export async function runPipeline(scope: Scope, pipeline: Pipeline): Promise<number> {
  const inner = pipeline.negated ? { ...scope, checked: true } : scope;
  const [only] = pipeline.commands;
  const status =
    pipeline.commands.length === 1 && only
      ? await runCommand.run(inner, only, { stdin: false, out: false })
      : await runConnected(inner, pipeline.commands);
  return pipeline.negated ? Number(status === 0) : status;
}

async function runConnected(scope: Scope, commands: readonly Command[]): Promise<number> {
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
