const NEWLINE = 0x0a;

/** Cuts a byte stream at newlines. Works on bytes, so that a character split between two chunks stays whole. */
export async function* splitLines(chunks: AsyncIterable<unknown>): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  for await (const chunk of chunks) {
    const bytes = chunk as Buffer;
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      rest.push(bytes.subarray(start, end));
      yield rest.length === 1 ? bytes.toString('utf8', start, end) : Buffer.concat(rest).toString('utf8');
      rest = [];
      start = end + 1;
    }
    if (start < bytes.length) rest.push(bytes.subarray(start));
  }
  if (rest.length > 0) yield Buffer.concat(rest).toString('utf8');
}
