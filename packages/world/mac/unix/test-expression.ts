import type { Mac, User } from '../mac.ts';
import { isExecutable } from '../processes/run-program.ts';

/** One word of a test. `operator` is set if it may be one: in `[[ ]]`, a quoted word never is. */
export interface Operand {
  readonly text: string;
  readonly operator: string | undefined;
  /** Matches like the right side of `==`: literally in `[ ]`, as a pattern in `[[ ]]`. */
  readonly matches: (text: string) => boolean;
}

interface TestOperandContext {
  readonly mac: Mac;
  readonly user: User;
  readonly directory: string;
}

/** Returns the value of a test, or an error message. */
export function evaluateTest(operands: readonly Operand[], place: TestOperandContext): boolean | string {
  try {
    const reader = new TestReader(operands, place);
    return reader.whole();
  } catch (error) {
    if (error instanceof TestError) return error.message;
    throw error;
  }
}

class TestError extends Error {
  override readonly name = 'TestError';
}

const BINARY = new Set([
  '=',
  '==',
  '!=',
  '=~',
  '<',
  '>',
  '-eq',
  '-ne',
  '-lt',
  '-le',
  '-gt',
  '-ge',
  '-nt',
  '-ot',
  '-ef',
]);

class TestReader {
  readonly #operands: readonly Operand[];
  readonly #place: TestOperandContext;
  #position = 0;

  constructor(operands: readonly Operand[], place: TestOperandContext) {
    this.#operands = operands;
    this.#place = place;
  }

  whole(): boolean {
    if (this.#operands.length === 0) return false;
    const value = this.#or();
    const rest = this.#operands[this.#position];
    if (rest) throw new TestError(`${rest.text}: unexpected operator`);
    return value;
  }

  #or(): boolean {
    let value = this.#and();
    while (this.#accept('-o', '||')) value = this.#and() || value;
    return value;
  }

  #and(): boolean {
    let value = this.#not();
    while (this.#accept('-a', '&&')) value = this.#not() && value;
    return value;
  }

  #not(): boolean {
    if (this.#peek()?.operator === '!' && this.#operands.length - this.#position > 1 && !this.#atBinary()) {
      this.#position += 1;
      return !this.#not();
    }
    return this.#primary();
  }

  #primary(): boolean {
    if (this.#atBinary()) return this.#binary();
    const operand = this.#peek();
    if (!operand) throw new TestError('argument expected');
    this.#position += 1;
    const next = this.#peek();
    if (operand.operator === '(' && next) {
      const value = this.#or();
      if (!this.#accept(')', ')')) throw new TestError("')' expected");
      return value;
    }
    if (next && operand.operator && /^-[a-zA-Z]$/.test(operand.operator)) {
      this.#position += 1;
      return unary(operand.operator, next.text, this.#place);
    }
    return operand.text !== '';
  }

  #binary(): boolean {
    const [left, operator, right] = this.#operands.slice(this.#position, this.#position + 3);
    this.#position += 3;
    if (!left || !operator || !right) throw new TestError('argument expected');
    return binary(left.text, operator.text, right, this.#place);
  }

  #atBinary(): boolean {
    const operator = this.#operands[this.#position + 1]?.operator;
    return operator !== undefined && BINARY.has(operator) && this.#position + 2 < this.#operands.length;
  }

  #peek(): Operand | undefined {
    return this.#operands[this.#position];
  }

  #accept(...operators: readonly string[]): boolean {
    const operator = this.#peek()?.operator;
    if (operator === undefined || !operators.includes(operator)) return false;
    this.#position += 1;
    return true;
  }
}

function unary(operator: string, text: string, place: TestOperandContext): boolean {
  if (operator === '-z') return text === '';
  if (operator === '-n') return text !== '';
  // There is never a terminal.
  if (operator === '-t') return false;
  const path = text.startsWith('/') ? text : `${place.directory}/${text}`;
  const { files } = place.mac;
  if (operator === '-L' || operator === '-h') {
    try {
      return files.stat(place.user, path, { followLinks: false }).type === 'link';
    } catch {
      return false;
    }
  }
  if (text === '' || !files.exists(place.user, path)) return false;
  const stat = files.stat(place.user, path);
  const tests: Readonly<Record<string, () => boolean>> = {
    '-e': () => true,
    '-a': () => true,
    '-f': () => stat.type === 'file',
    '-d': () => stat.type === 'directory',
    '-s': () => stat.size > 0,
    '-r': () => permitted(place, stat, 4),
    '-w': () => permitted(place, stat, 2),
    '-x': () => (stat.type === 'directory' ? permitted(place, stat, 1) : isExecutable(place.mac, place.user, path)),
    '-O': () => stat.uid === place.user.uid,
    '-S': () => false,
    '-p': () => false,
    '-b': () => false,
    '-c': () => text === '/dev/null',
  };
  const test = tests[operator];
  if (!test) throw new TestError(`unknown condition: ${operator}`);
  return test();
}

function permitted(
  { user }: TestOperandContext,
  stat: { readonly mode: number; readonly uid: number; readonly gid: number },
  bit: number,
): boolean {
  if (user.uid === 0) return true;
  if (user.uid === stat.uid) return (stat.mode & (bit << 6)) !== 0;
  return (stat.mode & (user.gid === stat.gid ? bit << 3 : bit)) !== 0;
}

function binary(left: string, operator: string, right: Operand, place: TestOperandContext): boolean {
  if (operator === '=' || operator === '==') return right.matches(left);
  if (operator === '!=') return !right.matches(left);
  if (operator === '=~') return new RegExp(right.text).test(left);
  if (operator === '<') return left < right.text;
  if (operator === '>') return left > right.text;
  if (operator === '-nt' || operator === '-ot' || operator === '-ef')
    return compareFiles(left, operator, { ...place, right: right.text });
  const [first, second] = [integer(left), integer(right.text)];
  const results: Readonly<Record<string, boolean>> = {
    '-eq': first === second,
    '-ne': first !== second,
    '-lt': first < second,
    '-le': first <= second,
    '-gt': first > second,
    '-ge': first >= second,
  };
  return results[operator] ?? false;
}

function compareFiles(
  left: string,
  operator: string,
  { mac, user, directory, right }: TestOperandContext & { readonly right: string },
): boolean {
  const [first, second] = [left, right].map(path => (path.startsWith('/') ? path : `${directory}/${path}`));
  if (!first || !second || !mac.files.exists(user, first) || !mac.files.exists(user, second)) return false;
  const [one, two] = [mac.files.stat(user, first), mac.files.stat(user, second)];
  if (operator === '-ef') return one.inode === two.inode;
  return operator === '-nt' ? one.modified > two.modified : one.modified < two.modified;
}

function integer(text: string): number {
  if (!/^\s*[-+]?\d+\s*$/.test(text)) throw new TestError(`integer expression expected: ${text}`);
  return Number(text);
}
