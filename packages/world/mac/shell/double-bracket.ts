import { evaluateTest, type Operand } from '../unix/test-expression.ts';
import { expandPattern } from './expand.ts';
import { expansionOf, type Scope } from './interpret.ts';
import { CommandFailure } from './leave.ts';
import { plainText } from './parse-word.ts';
import { patternToRegExp, unescapePattern } from './pattern.ts';
import type { Word } from './syntax.ts';

/** `[[ … ]]`: no splitting, patterns on the right of `==`, a regular expression on the right of `=~`. */
export async function runDoubleBracket(scope: Scope, words: readonly Word[]): Promise<number> {
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
