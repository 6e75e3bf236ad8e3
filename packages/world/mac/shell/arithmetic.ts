/** Reads and sets variables for `$((…))`. */
interface ArithmeticScope {
  get(name: string): string;
  set(name: string, value: string): void;
}

const LEVELS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!='],
  ['<=', '>=', '<', '>'],
  ['+', '-'],
  ['*', '/', '%'],
];

/** Evaluates the shells' integer arithmetic. Throws an Error with the remaining text that could not be parsed. */
export function evaluateArithmetic(text: string, scope: ArithmeticScope): number {
  const tokens =
    text.match(/0[xX][0-9a-fA-F]+|\d+|[A-Za-z_]\w*|\+\+|--|[-+*/%]=|[=!<>]=|&&|\|\||[-+*/%()<>!=?:]|\S/g) ?? [];
  const reader = new ArithmeticReader(tokens, scope);
  if (tokens.length === 0) return 0;
  const value = reader.assignment();
  if (!reader.done) throw new Error(`bad math expression: operator expected at \`${reader.rest}'`);
  return value;
}

class ArithmeticReader {
  readonly #tokens: string[];
  readonly #scope: ArithmeticScope;

  constructor(tokens: readonly string[], scope: ArithmeticScope) {
    this.#tokens = [...tokens];
    this.#scope = scope;
  }

  get done(): boolean {
    return this.#tokens.length === 0;
  }

  get rest(): string {
    return this.#tokens.join('');
  }

  assignment(): number {
    const [name = '', operator = ''] = this.#tokens;
    if (!/^[A-Za-z_]/.test(name) || !/^(=|[-+*/%]=|\+\+|--)$/.test(operator)) return this.#choice();
    this.#tokens.splice(0, 2);
    const before = this.#value(name);
    if (operator === '++' || operator === '--') {
      this.#scope.set(name, String(before + (operator === '++' ? 1 : -1)));
      return before;
    }
    const right = this.assignment();
    const value = operator === '=' ? right : apply(operator.slice(0, 1), before, right);
    this.#scope.set(name, String(value));
    return value;
  }

  #choice(): number {
    const condition = this.#level(0);
    if (this.#tokens[0] !== '?') return condition;
    this.#tokens.shift();
    const yes = this.assignment();
    if (this.#tokens.shift() !== ':') throw new Error("bad math expression: ':' expected");
    const no = this.#choice();
    return condition ? yes : no;
  }

  #level(level: number): number {
    const operators = LEVELS[level];
    if (!operators) return this.#unary();
    let value = this.#level(level + 1);
    for (let next = this.#tokens[0]; next !== undefined && operators.includes(next); next = this.#tokens[0]) {
      this.#tokens.shift();
      value = apply(next, value, this.#level(level + 1));
    }
    return value;
  }

  #unary(): number {
    const token = this.#tokens.shift() ?? '';
    if (token === '-') return -this.#unary();
    if (token === '+') return this.#unary();
    if (token === '!') return this.#unary() === 0 ? 1 : 0;
    if (token === '(') {
      const value = this.assignment();
      if (this.#tokens.shift() !== ')') throw new Error("bad math expression: ')' expected");
      return value;
    }
    if (/^\d/.test(token)) return Number(token);
    if (/^[A-Za-z_]/.test(token)) return this.#value(token);
    throw new Error(`bad math expression: operand expected at \`${token}${this.rest}'`);
  }

  #value(name: string): number {
    return Number.parseInt(this.#scope.get(name) || '0', 10) || 0;
  }
}

function apply(operator: string, left: number, right: number): number {
  if ((operator === '/' || operator === '%') && right === 0) throw new Error('division by zero');
  const results: Readonly<Record<string, () => number | boolean>> = {
    '||': () => left !== 0 || right !== 0,
    '&&': () => left !== 0 && right !== 0,
    '==': () => left === right,
    '!=': () => left !== right,
    '<': () => left < right,
    '>': () => left > right,
    '<=': () => left <= right,
    '>=': () => left >= right,
    '+': () => left + right,
    '-': () => left - right,
    '*': () => left * right,
    '/': () => Math.trunc(left / right),
    '%': () => left % right,
  };
  return Number(results[operator]?.() ?? 0);
}
