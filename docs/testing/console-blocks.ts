/** A command of a page and its documented output. */
export interface ConsoleCommand {
  readonly command: string;
  /** Expected lines; `…` matches any text, and any number of lines when it is alone on a line. */
  readonly prints: readonly string[];
}

/** Commands of the `console` code blocks of a page, in order. The blocks of a list are indented. */
export function consoleBlocks(page: string): ConsoleCommand[] {
  const blocks = [...page.matchAll(/^( *)```console\n(.*?)^\1```$/gms)].map(([, indent = '', text = '']) =>
    text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
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

/** Checks that the output matches the page. Whitespace is ignored, because column widths depend on their content. */
export function matchesPage(printed: string, prints: readonly string[]): boolean {
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
