/** Sizes of the client's terminal, as they come: JSON objects one after the other, cut wherever the network cuts. */
export interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

/** An object of a size is some thirty bytes: what grows beyond this is none. */
const MOST_BEHIND = 4_096;

export function createSizeReader(): (chunk: Buffer) => TerminalSize[] {
  let rest = '';
  return chunk => {
    rest += chunk.toString('latin1');
    const sizes = [...rest.matchAll(/\{[^{}]*\}/g)].flatMap(([text]) => parseSize(text) ?? []);
    rest = rest.slice(rest.lastIndexOf('}') + 1);
    if (rest.length > MOST_BEHIND) rest = '';
    return sizes;
  };
}

function parseSize(text: string): TerminalSize | undefined {
  const columns = Number(/"Width"\s*:\s*(\d{1,5})\b/i.exec(text)?.[1]);
  const rows = Number(/"Height"\s*:\s*(\d{1,5})\b/i.exec(text)?.[1]);
  return rows > 0 && columns > 0 ? { rows, columns } : undefined;
}
