import { errorMessage } from '../files/file-system.ts';
import type { Program } from '../mac.ts';
import { parseOptions, refuseForm } from './getopt.ts';
import { linesOf, readOperand } from './paths.ts';

export const cmp: Program = async run => {
  const options = parseOptions(run, { letters: 'slx', usage: 'cmp [-l | -s | -x] [-hz] file1 file2', usageCode: 2 });
  if (typeof options === 'number') return options;
  const [first = '', second = ''] = options.operands;
  try {
    const [one, two] = [await readOperand(run, first), await readOperand(run, second)];
    if (one.equals(two)) return 0;
    if (!options.has('s')) run.out(describe(one, two, [first, second]));
    return 1;
  } catch (error) {
    if (!options.has('s')) run.err(`cmp: ${first}: ${errorMessage(error)}\n`);
    return 2;
  }
};

function describe(one: Buffer, two: Buffer, [first, second]: readonly string[]): string {
  const shorter = Math.min(one.length, two.length);
  let at = 0;
  while (at < shorter && one[at] === two[at]) at++;
  if (at === shorter) return `cmp: EOF on ${one.length < two.length ? first : second}\n`;
  const line = one.subarray(0, at).toString('latin1').split('\n').length;
  return `${first} ${second} differ: char ${at + 1}, line ${line}\n`;
}

/**
 * Exit codes like diff's. The output is a plain list of removed and added lines in one hunk, not the smallest
 * difference.
 */
export const diff: Program = async run => {
  const options = parseOptions(run, { letters: 'qubwrNU:', usage: 'diff [options] file1 file2', usageCode: 2 });
  if (typeof options === 'number') return options;
  if (options.has('r') || options.has('b') || options.has('w')) return refuseForm(run);
  const [first = '', second = ''] = options.operands;
  try {
    const [one, two] = [await readOperand(run, first), await readOperand(run, second)];
    if (one.equals(two)) return 0;
    if (options.has('q')) run.out(`Files ${first} and ${second} differ\n`);
    else run.out(hunk(linesOf(one), linesOf(two), options.has('u') ? { first, second } : undefined));
    return 1;
  } catch (error) {
    run.err(`diff: ${first}: ${errorMessage(error)}\n`);
    return 2;
  }
};

function hunk(
  one: readonly string[],
  two: readonly string[],
  unified: { readonly first: string; readonly second: string } | undefined,
): string {
  let same = 0;
  while (same < one.length && same < two.length && one[same] === two[same]) same++;
  let end = 0;
  while (end < one.length - same && end < two.length - same && one.at(-1 - end) === two.at(-1 - end)) end++;
  const [removed, added] = [one.slice(same, one.length - end), two.slice(same, two.length - end)];
  const range = (count: number): string =>
    count > 1 ? `${same + 1},${same + count}` : `${same + (count === 0 ? 0 : 1)}`;
  if (unified) {
    const head = `--- ${unified.first}\n+++ ${unified.second}\n@@ -${same + 1},${removed.length} +${same + 1},${added.length} @@\n`;
    return head + [...removed.map(line => `-${line}\n`), ...added.map(line => `+${line}\n`)].join('');
  }
  const kind = removed.length === 0 ? 'a' : added.length === 0 ? 'd' : 'c';
  const parts = [
    ...removed.map(line => `< ${line}`),
    ...(kind === 'c' ? ['---'] : []),
    ...added.map(line => `> ${line}`),
  ];
  return `${range(removed.length)}${kind}${range(added.length)}\n${parts.join('\n')}\n`;
}
