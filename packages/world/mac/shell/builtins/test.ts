import { evaluateTest } from '../../unix/test-expression.ts';
import { type Builtin, type Call, complainAs } from './call.ts';

export const test: Builtin = call => decide(call, call.argv.slice(1));

export const bracket: Builtin = call => {
  if (call.argv.at(-1) !== ']') {
    complainAs(call, "']' expected");
    return 2;
  }
  return decide(call, call.argv.slice(1, -1));
};

function decide(call: Call, words: readonly string[]): number {
  const operands = words.map(word => ({ text: word, operator: word, matches: (text: string) => text === word }));
  const result = evaluateTest(operands, call.scope.state);
  if (typeof result === 'boolean') return result ? 0 : 1;
  complainAs(call, result);
  return 2;
}
