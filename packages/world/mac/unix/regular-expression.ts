/** A basic regular expression as an extended one: what needed a backslash loses it, and the other way round. */
export function basicToExtended(basic: string): string {
  return basic.replace(/\[\]?[^\]]*\]|\\([\s\S])|[(){}|+?]/g, (whole, escaped: string | undefined) => {
    if (whole.startsWith('[')) return whole;
    if (escaped === undefined) return `\\${whole}`;
    return '(){}|+?'.includes(escaped) ? escaped : whole;
  });
}

const CLASSES: Readonly<Record<string, string>> = {
  space: '\\s',
  digit: '0-9',
  alpha: 'A-Za-z',
  alnum: 'A-Za-z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  xdigit: '0-9A-Fa-f',
  blank: ' \\t',
  punct: '!-\\/:-@[-`{-~',
};

/** POSIX classes and word borders in JavaScript's terms; the rest is the same. */
export const extendedToJavaScript = (extended: string): string =>
  extended
    .replace(/\[:(\w+):\]/g, (whole, name: string) => CLASSES[name] ?? whole)
    .replace(/\\[<>]/g, '\\b')
    .replace(/\[([^\]]*)\[([^\]]*)\]/g, (_, before: string, after: string) => `[${before}\\[${after}]`)
    .replace(/\\([/"'%@~,:;=#&!-])/g, '$1')
    .replace(/^\*/, '\\*');
