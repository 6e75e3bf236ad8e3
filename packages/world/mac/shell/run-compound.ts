import { evaluateTest, type Operand } from '../unix/test-expression.ts';
import { setVariable } from './change-parameter.ts';
import { calculate, expandPattern, expandText, expandWords } from './expand.ts';
import { expansionOf, runList, runToExit, type ShellScope } from './interpret.ts';
import { plainText } from './parse-word.ts';
import { patternToRegExp, unescapePattern } from './pattern.ts';
import { CommandFailure, fork, LeaveLoop } from './shell-state.ts';
import type { CommandList, CompoundBody, Word } from './syntax.ts';

type CompoundOfType<Type extends CompoundBody['type']> = Extract<CompoundBody, { readonly type: Type }>;

/** Runs a compound command whose redirections are already open. */
export async function runCompound(scope: ShellScope, command: CompoundBody): Promise<number> {
  switch (command.type) {
    case 'subshell':
      return runToExit({ ...scope, state: fork(scope.state) }, command.body);
    case 'group':
      return runList(scope, command.body);
    case 'if':
      return runIf(scope, command);
    case 'for':
      return runFor(scope, command);
    case 'while':
      return runWhile(scope, command);
    case 'case':
      return runCase(scope, command);
    case 'test':
      return runDoubleBracket(scope, command.words);
    case 'arithmetic command':
      return Number((await calculate(expansionOf(scope), command.expression)) === 0);
    case 'function':
      scope.state.functions.set(command.name, command.body);
      return 0;
  }
}

const holds = async (scope: ShellScope, condition: CommandList): Promise<boolean> =>
  (await runList({ ...scope, checked: true }, condition)) === 0;

async function runIf(scope: ShellScope, { branches, otherwise }: CompoundOfType<'if'>): Promise<number> {
  for (const { condition, body } of branches) if (await holds(scope, condition)) return runList(scope, body);
  return otherwise ? runList(scope, otherwise) : 0;
}

async function runFor(scope: ShellScope, { name, words, body }: CompoundOfType<'for'>): Promise<number> {
  const values = words ? await expandWords(expansionOf(scope), words) : scope.state.positional;
  let status = 0;
  for (const value of values) {
    setVariable(scope.state, name, value);
    const round = await runRound(scope, body);
    status = round.status;
    if (round.left) break;
  }
  return status;
}

async function runWhile(scope: ShellScope, { until, condition, body }: CompoundOfType<'while'>): Promise<number> {
  let status = 0;
  while ((await holds(scope, condition)) !== until) {
    const round = await runRound(scope, body);
    status = round.status;
    if (round.left) break;
  }
  return status;
}

async function runRound(
  scope: ShellScope,
  body: CommandList,
): Promise<{ readonly status: number; readonly left: boolean }> {
  try {
    return { status: await runList(scope, body), left: false };
  } catch (error) {
    if (!(error instanceof LeaveLoop)) throw error;
    if (error.levels > 1) throw new LeaveLoop(error.goesOn, error.levels - 1);
    return { status: 0, left: !error.goesOn };
  }
}

async function runCase(scope: ShellScope, { subject, clauses }: CompoundOfType<'case'>): Promise<number> {
  const text = await expandText(expansionOf(scope), subject);
  for (const { patterns, body } of clauses) {
    for (const pattern of patterns) {
      const expression = patternToRegExp(await expandPattern(expansionOf(scope), pattern), { acrossSlashes: true });
      if (expression.test(text)) return body.items.length > 0 ? runList(scope, body) : 0;
    }
  }
  return 0;
}

/** `[[ … ]]`: no splitting, patterns on the right of `==`, a regular expression on the right of `=~`. */
async function runDoubleBracket(scope: ShellScope, words: readonly Word[]): Promise<number> {
  const operands: Operand[] = [];
  for (const word of words) {
    const pattern = await expandPattern(expansionOf(scope), word);
    const plain = plainText(word);
    const operator = plain && !plain.quoted ? plain.text : undefined;
    operands.push({
      text: unescapePattern(pattern),
      operator,
      matches: text => patternToRegExp(pattern, { acrossSlashes: true }).test(text),
    });
  }
  const result = evaluateTest(operands, {
    mac: scope.state.mac,
    user: scope.state.user,
    directory: scope.state.directory,
  });
  if (typeof result === 'string') throw new CommandFailure(result, 2);
  return result ? 0 : 1;
}
