import type { Scope } from '../interpret.ts';

/** One call of a builtin: `argv[0]` is its name. */
export interface Call {
  readonly scope: Scope;
  readonly argv: readonly string[];
}

export type Builtin = (call: Call) => Promise<number> | number;

/** Complains as a builtin does: `zsh:cd:1: …`, `bash: line 1: cd: …`. */
export function complainAs({ scope: { state, streams }, argv }: Call, message: string): void {
  const [name = ''] = argv;
  const prefix =
    state.flavour.name === 'zsh'
      ? `${state.name}:${name}:${state.line}: `
      : `${state.flavour.prefix(state.name, state.line)}${name}: `;
  streams.err.write(`${prefix}${message}\n`);
}

/** A flag the real builtin has and this one has not. */
export function unmodelledFlag(call: Call, flag: string): number {
  const { mac } = call.scope.state;
  mac.around.journal.unmodelled(`mac/${mac.options.name}`, `${call.scope.state.flavour.name} ${call.argv.join(' ')}`);
  complainAs(call, `bad option: ${flag}`);
  return 1;
}
