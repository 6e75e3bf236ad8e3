/** Commands of a page and what it says they print. */
export interface Shown {
  readonly command: string;
  /** Line by line; `…` stands for anything, and alone on a line for any lines. */
  readonly prints: readonly string[];
}

/** Of its blocks marked `console`, in order. */
export function consoleBlocks(page: string): Shown[] {
  const blocks = [...page.matchAll(/^```console\n(.*?)^```$/gms)].map(([, text = '']) => text);
  return blocks.flatMap(text =>
    text
      .split(/^\$ /m)
      .slice(1)
      .map(one => {
        const [command = '', ...prints] = one.trimEnd().split('\n');
        return { command, prints };
      }),
  );
}

/** Whether what was printed is as shown. How columns are spaced depends on what stands in them. */
export function isAsShown(printed: string, prints: readonly string[]): boolean {
  const lines = prints.map(line => (line === '…' ? '(.*\\n)*?' : `${patternOf(squeeze(line))}\\n`));
  const text = squeeze(printed).replace(/^\n+|\n+$/g, '');
  return new RegExp(`^${lines.join('')}$`).test(text === '' ? '' : `${text}\n`);
}

const squeeze = (text: string): string =>
  text
    .split('\n')
    .map(line => line.trim().replaceAll(/\s+/g, ' '))
    .filter(line => line !== '')
    .join('\n');

const patternOf = (line: string): string =>
  line
    .split('…')
    .map(part => RegExp.escape(part))
    .join('.*');
