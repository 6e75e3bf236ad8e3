/** Shorter forms would match inside ordinary words. No password or token of the product is that short. */
export const SHORTEST_FORM = 4;
/** A short line such as `kind: Config` is no secret by itself. Keys and tokens are longer. */
const SHORTEST_LINE = 20;
/** Length of a token or password in a `name: value` line. */
const SHORTEST_VALUE = 8;
/** The middle of a Base64 text matches at any offset; a shorter one would match by chance. */
const SHORTEST_MIDDLE = 8;

/** Every form in which a secret may occur in a text: verbatim, line by line, encoded and quoted. */
export function writtenForms(value: Buffer): string[] {
  const text = value.toString('utf8');
  if (text.trim().length < SHORTEST_FORM) return [];
  const lines = text.split('\n');
  const parts = [...lines.filter(line => line.trim().length >= SHORTEST_LINE), ...lines.flatMap(secretIn)];
  // A secret of one line is its own only part; each text is encoded once.
  const plain = new Set([text, ...parts].flatMap(form => [form, form.trim()]));
  const bytes = [
    value,
    ...[...new Set([text.trim(), ...parts])].filter(form => form !== text).map(form => Buffer.from(form)),
  ];
  const forms = [...[...plain].flatMap(quoted), ...bytes.flatMap(encoded)];
  return [...new Set(forms)].filter(form => form.length >= SHORTEST_FORM);
}

/** Value after `token:` or `client-key-data:`, because a program may print it without its line. Data is also decoded. */
function secretIn(line: string): string[] {
  const [, name = '', given = ''] = /^[\s-]*"?([\w-]+)"?:\s*["']?([^\s"',]+)/.exec(line) ?? [];
  if (!/token|key|password|secret/i.test(name) || given.length < SHORTEST_VALUE) return [];
  const decoded = name.endsWith('-data') ? Buffer.from(given, 'base64').toString('utf8').split('\n') : [];
  return [given, ...decoded.filter(each => each.length >= SHORTEST_LINE && !each.startsWith('-----'))];
}

/** Quoted for shells, JSON, URLs and property lists. */
const quoted = (text: string): string[] => [
  text,
  JSON.stringify(text).slice(1, -1),
  encodeURIComponent(text),
  new URLSearchParams({ '': text }).toString().slice(1),
  text.replaceAll("'", `'\\''`),
  text.replace(/["$`\\]/g, '\\$&'),
  text.replace(/[^\w@%+=:,./-]/g, '\\$&'),
  escaped(text),
  escaped(text).replaceAll("'", '&apos;'),
  escaped(text).replaceAll("'", '&#39;'),
];

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Bytes as Latin-1, UTF-8, hexadecimal and Base64. */
const encoded = (bytes: Buffer): string[] => [
  bytes.toString('latin1'),
  bytes.toString('utf8'),
  bytes.toString('hex'),
  bytes.toString('hex').toUpperCase(),
  (bytes.toString('hex').match(/../g) ?? []).join(' '),
  bytes.toString('base64'),
  bytes.toString('base64url'),
  ...[0, 1, 2].flatMap(offset => insideBase64(bytes, offset)),
];

/** Part of the Base64 text that does not depend on the bytes around the secret, as in `user:password` or a kubeconfig. */
function insideBase64(bytes: Buffer, offset: number): string[] {
  const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const whole = Math.floor(((offset + bytes.length) * 8) / 6);
  const middle = shifted.slice(Math.ceil((offset * 8) / 6), whole);
  if (middle.length < SHORTEST_MIDDLE) return [];
  const url = middle.replaceAll('+', '-').replaceAll('/', '_');
  // Encoders break lines at these widths. Each full line of a long secret is a form.
  const lines = [64, 68, 76].flatMap(width => cut(shifted, width));
  return [middle, url, ...(offset === 0 ? lines : [])];
}

const cut = (text: string, width: number): string[] =>
  text.length <= width ? [] : (text.match(new RegExp(`.{${SHORTEST_LINE},${width}}`, 'g')) ?? []);
