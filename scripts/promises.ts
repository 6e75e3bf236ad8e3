/** Reads docs/promises.md: which tests cover which guarantee. */

export interface Promised {
  readonly row: string;
  readonly tests: readonly { readonly path: string; readonly name: string }[];
  readonly open: string;
}

/** The required rows. A guarantee cannot be dropped by deleting its row. */
export const ROWS = [...rows('A', 19), ...rows('B', 10), ...rows('C', 8), ...rows('D', 10)];

function rows(letter: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
}

export function parsePromises(markdown: string): Promised[] {
  return markdown.split('\n').flatMap(line => {
    const cells = line.split(/(?<!\\)\|/).map(cell => cell.trim());
    const [, row = '', , tests = '', open = ''] = cells;
    return ROWS.includes(row) ? [{ row, tests: namedTests(tests), open }] : [];
  });
}

/** References to tests: `path › name of the test`. */
export const namedTests = (cell: string): Promised['tests'] =>
  [...cell.matchAll(/`([^`]+?) › ([^`]+)`/g)].map(([, path = '', name = '']) => ({ path, name }));

/** Returns the problems of the page. `read` returns a file of the repository, or undefined if it does not exist. */
export function promiseProblems(promises: readonly Promised[], read: (path: string) => string | undefined): string[] {
  const missing = ROWS.filter(row => promises.filter(promise => promise.row === row).length !== 1);
  return [
    ...missing.map(row => `row ${row} must exist exactly once`),
    ...promises.flatMap(({ row, tests, open }) => [
      ...(tests.length === 0 && !open ? [`row ${row} names no test and nothing open`] : []),
      ...tests.flatMap(test => testProblem(`row ${row}`, test, read) ?? []),
    ]),
  ];
}

/** Returns a message if the test does not exist, starting with the `where` of its reference. */
export function testProblem(
  where: string,
  { path, name }: { readonly path: string; readonly name: string },
  read: (path: string) => string | undefined,
): string | undefined {
  const text = read(path);
  if (text === undefined) return `${where} names ${path}, which does not exist`;
  const quoted = [`'${name}'`, `"${name}"`, `\`${name}\``];
  return quoted.some(literal => text.includes(literal)) ? undefined : `${where}: ${path} has no test "${name}"`;
}
