/** Syntax tree of a script. */

export type WordPart =
  | { readonly type: 'text'; readonly text: string; readonly quoted: boolean }
  | { readonly type: 'parameter'; readonly name: string; readonly quoted: boolean; readonly change?: ParameterChange }
  | { readonly type: 'substitution'; readonly body: CommandList; readonly quoted: boolean }
  | { readonly type: 'arithmetic'; readonly expression: Word; readonly quoted: boolean };

/** `${name:-word}` and the other forms. */
export interface ParameterChange {
  readonly operator:
    | '-'
    | ':-'
    | '='
    | ':='
    | '?'
    | ':?'
    | '+'
    | ':+'
    | '#'
    | '##'
    | '%'
    | '%%'
    | '/'
    | '//'
    | 'length';
  readonly word: Word;
  readonly replacement?: Word;
}

export interface Word {
  readonly parts: readonly WordPart[];
}

export interface Redirection {
  readonly descriptor: number;
  readonly kind: '<' | '>' | '>>' | 'here' | '>&' | '<&' | '&>' | '&>>';
  readonly target: Word;
}

export interface VariableAssignment {
  readonly name: string;
  readonly value: Word;
  readonly append: boolean;
  readonly array?: readonly Word[];
}

export interface SimpleCommand {
  readonly type: 'simple';
  readonly line: number;
  readonly assignments: readonly VariableAssignment[];
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
}

export type CompoundBody =
  | { readonly type: 'subshell'; readonly body: CommandList }
  | { readonly type: 'group'; readonly body: CommandList }
  | {
      readonly type: 'if';
      readonly branches: readonly { readonly condition: CommandList; readonly body: CommandList }[];
      readonly otherwise?: CommandList;
    }
  | { readonly type: 'for'; readonly name: string; readonly words?: readonly Word[]; readonly body: CommandList }
  | { readonly type: 'while'; readonly until: boolean; readonly condition: CommandList; readonly body: CommandList }
  | { readonly type: 'case'; readonly subject: Word; readonly clauses: readonly CaseClause[] }
  | { readonly type: 'test'; readonly words: readonly Word[] }
  | { readonly type: 'arithmetic command'; readonly expression: Word }
  | { readonly type: 'function'; readonly name: string; readonly body: ShellCommand };

export interface CaseClause {
  readonly patterns: readonly Word[];
  readonly body: CommandList;
}

export type ShellCommand =
  | SimpleCommand
  | (CompoundBody & { readonly line: number; readonly redirections: readonly Redirection[] });

export interface Pipeline {
  readonly negated: boolean;
  readonly commands: readonly ShellCommand[];
}

export interface AndOr {
  readonly first: Pipeline;
  readonly rest: readonly { readonly operator: '&&' | '||'; readonly pipeline: Pipeline }[];
  readonly background: boolean;
}

export interface CommandList {
  readonly items: readonly AndOr[];
}
