// Shorter ones would tear holes into ordinary words; no password or token we handle is that short.
const SHORTEST = 4;
// A line of a kubeconfig such as `kind: Config` is no secret by itself; its keys and tokens are longer.
const SHORTEST_LINE = 20;
// A token or a password in a line of its own name.
const SHORTEST_VALUE = 8;
// The middle of a Base64 text is found anywhere: below this it would be found in anything.
const SHORTEST_MIDDLE = 8;

/** Every way a secret may turn up in a text: as it is, line by line, and as encoders and quoters write it. */
export function writtenForms(value: Buffer): string[] {
  const text = value.toString('utf8');
  if (text.trim().length < SHORTEST) return [];
  const lines = text.split('\n');
  const parts = [...lines.filter(line => line.trim().length >= SHORTEST_LINE), ...lines.flatMap(secretIn)];
  const plain = [text, ...parts].flatMap(form => [form, form.trim()]);
  const bytes = [value, ...[text.trim(), ...parts].map(form => Buffer.from(form))];
  const forms = [...plain.flatMap(quoted), ...bytes.flatMap(encoded)];
  return [...new Set(forms)].filter(form => form.length >= SHORTEST);
}

/** What follows `token:` or `client-key-data:` is known by itself to whoever was given it; data also as what it stands for. */
function secretIn(line: string): string[] {
  const [, name = '', given = ''] = /^[\s-]*"?([\w-]+)"?:\s*["']?([^\s"',]+)/.exec(line) ?? [];
  if (!/token|key|password|secret/i.test(name) || given.length < SHORTEST_VALUE) return [];
  const decoded = name.endsWith('-data') ? Buffer.from(given, 'base64').toString('utf8').split('\n') : [];
  return [given, ...decoded.filter(each => each.length >= SHORTEST_LINE && !each.startsWith('-----'))];
}

/** As shells, JSON, URLs and property lists write a text. */
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

/** As programs write bytes: one character each, in hexadecimal, in Base64. */
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

/** What stays the same when the bytes stand somewhere inside a longer text that is encoded: `user:password`, a kubeconfig. */
function insideBase64(bytes: Buffer, offset: number): string[] {
  const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const whole = Math.floor(((offset + bytes.length) * 8) / 6);
  const middle = shifted.slice(Math.ceil((offset * 8) / 6), whole);
  if (middle.length < SHORTEST_MIDDLE) return [];
  const url = middle.replaceAll('+', '-').replaceAll('/', '_');
  // Encoders break lines at these widths; each full line of a long secret is found by itself.
  const lines = [64, 68, 76].flatMap(width => cut(shifted, width));
  return [middle, url, ...(offset === 0 ? lines : [])];
}

const cut = (text: string, width: number): string[] =>
  text.length <= width ? [] : (text.match(new RegExp(`.{${SHORTEST_LINE},${width}}`, 'g')) ?? []);
