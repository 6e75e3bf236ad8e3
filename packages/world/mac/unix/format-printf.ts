/** Meaning of a letter after a backslash in printf and echo. */
export const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  '"': '"',
};

const unescapeText = (text: string): Buffer => {
  const latin = Buffer.from(text).toString('latin1');
  const replaced = latin.replace(/\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|([\s\S]))/g, (whole, hex, octal, letter) => {
    if (hex) return String.fromCharCode(Number.parseInt(hex, 16));
    if (octal) return String.fromCharCode(Number.parseInt(octal, 8) & 255);
    return ESCAPES[letter] ?? whole;
  });
  return Buffer.from(replaced, 'latin1');
};

/** printf(1): the format is reused while values are left; a missing value is empty or 0. */
export function formatPrintf(format: string, values: readonly string[]): Buffer {
  const left = [...values];
  const pieces: Buffer[] = [];
  do {
    const before = left.length;
    for (const piece of format.match(/%%|%[-0 +#]*\d*(?:\.\d+)?[a-zA-Z]|[^%]+|%/g) ?? [])
      pieces.push(piece.startsWith('%') && piece.length > 1 ? convert(piece, left) : unescapeText(piece));
    if (left.length === before) break;
  } while (left.length > 0);
  return Buffer.concat(pieces);
}

function convert(piece: string, left: string[]): Buffer {
  if (piece === '%%') return Buffer.from('%');
  const [, flags = '', width = '', precision, letter = 's'] = /^%([-0 +#]*)(\d*)(?:\.(\d+))?(\w)$/.exec(piece) ?? [];
  const value = left.shift() ?? '';
  if (letter === 'b') return unescapeText(value);
  const text = convertText(value, letter, precision);
  const padded = flags.includes('-')
    ? text.padEnd(Number(width))
    : text.padStart(Number(width), flags.includes('0') && letter !== 's' ? '0' : ' ');
  return Buffer.from(padded);
}

function convertText(value: string, letter: string, precision: string | undefined): string {
  const number = Number(value) || 0;
  if (letter === 'd' || letter === 'i' || letter === 'u') return String(Math.trunc(number));
  if (letter === 'x') return Math.trunc(number).toString(16);
  if (letter === 'X') return Math.trunc(number).toString(16).toUpperCase();
  if (letter === 'o') return Math.trunc(number).toString(8);
  if (letter === 'f') return number.toFixed(precision === undefined ? 6 : Number(precision));
  if (letter === 'q') return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
  if (letter === 'c') return value.slice(0, 1);
  return precision === undefined ? value : value.slice(0, Number(precision));
}
