import { BOOT_ANCHOR, RULES_FILE } from './render-rules.ts';

const BEGIN = `# BEGIN ${BOOT_ANCHOR}`;
const END = `# END ${BOOT_ANCHOR}`;
const LOAD = `load anchor "${BOOT_ANCHOR}" from "${RULES_FILE}"`;

/** Minifleet's block in /etc/pf.conf. It is last, because pf accepts filter rules only after all others. */
export const BLOCK = `${BEGIN}
# ${BOOT_ANCHOR} blocks guests from private networks. Written by minifleet; local changes are overwritten.
anchor "${BOOT_ANCHOR}"
${LOAD}
${END}
`;

/** Apple's lines, for a host without pf.conf: without them macOS services lose their anchors. */
export const STOCK = `scrub-anchor "com.apple/*"
nat-anchor "com.apple/*"
rdr-anchor "com.apple/*"
dummynet-anchor "com.apple/*"
anchor "com.apple/*"
load anchor "com.apple" from "/etc/pf.anchors/com.apple"
`;

/** The file with exactly one Minifleet block; all other lines are preserved. */
export const withOneBlock = (text: string): string => `${text.trim() === '' ? STOCK : withoutBlock(text)}${BLOCK}`;

/** The same file for a dry run before the rules file exists. */
export const withoutLoad = (text: string): string => text.replace(`${LOAD}\n`, '');

/**
 * The file without any Minifleet content: all marked blocks, single markers, and the older forms without markers (I01,
 * I02). Does not delete from marker to marker: if one marker is lost, that range contains foreign lines.
 */
export function withoutBlock(text: string): string {
  const lines = linesOf(text);
  const marked = markedLines(lines);
  const kept = lines.filter((line, at) => !isOwnLine(line) && !(marked.has(at) && isSilent(line)));
  return kept.map(line => `${line}\n`).join('');
}

export const containsOwnRules = (text: string): boolean => linesOf(text).some(isOwnLine);

/** Differences from a file that contains exactly one block. */
export function confDifferences(text: string | undefined): string[] {
  if (text === undefined) return ['pf.conf is missing'];
  if (text === withOneBlock(text)) return [];
  const lines = linesOf(text);
  const marked = markedLines(lines);
  const blocks = lines.filter((line, at) => isEnd(line) && marked.has(at)).length;
  const strays = lines.filter((line, at) => isOwnLine(line) && !marked.has(at)).length;
  const words = [
    text.includes('\r\n') && 'pf.conf has carriage returns, which pf rejects',
    blocks !== 1 && `pf.conf contains the block ${blocks} times, expected once`,
    strays > 0 && `pf.conf holds ${strays} ${strays === 1 ? 'line' : 'lines'} of older forms outside the block`,
  ].filter(word => word !== false);
  return words.length > 0
    ? words
    : ['the block in pf.conf differs from the expected block, or is not the end of the file'];
}

/** pf rejects carriage returns, so they are dropped. */
function linesOf(text: string): string[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Line numbers of marked blocks, markers included. */
function markedLines(lines: readonly string[]): ReadonlySet<number> {
  const marked = new Set<number>();
  let begun: number | undefined;
  for (const [at, line] of lines.entries()) {
    if (isBegin(line)) begun = at;
    if (!isEnd(line) || begun === undefined) continue;
    for (let inside = begun; inside <= at; inside++) marked.add(inside);
    begun = undefined;
  }
  return marked;
}

// Matches the anchor and its file by name, also in comments, and the tables that older versions put into the main
// ruleset (I03).
const isOwnLine = (line: string): boolean => /tuist\.runners(?![\w/-])|<(vm_sources|blocked_dst)>/.test(line);
const isBegin = (line: string): boolean => line.trim() === BEGIN;
const isEnd = (line: string): boolean => line.trim() === END;
const isSilent = (line: string): boolean => /^\s*(#|$)/.test(line);

/** Output of every pfctl call, successful or not: a warning about -f and the missing ALTQ. */
const CHATTER =
  /^(pfctl: )?Use of -f option|^present in the main ruleset|^See \/etc\/pf\.conf|^No ALTQ support|^ALTQ related|^\s*$/;

/** Error output of pfctl without its constant output. */
export const complaintIn = (stderr: string): string =>
  stderr
    .split('\n')
    .filter(line => !CHATTER.test(line))
    .join('; ') || 'no reason given';

interface CheckedConf {
  /** Content on the host. */
  readonly before: string;
  /** Content passed to pfctl on standard input. */
  readonly candidate: string;
}

/** First error about a candidate, with the line number of the file on the host, which the operator must find. */
export function confComplaint(stderr: string, { before, candidate }: CheckedConf): string {
  const found = /^(?:-|stdin):(\d+): (.*)$/m.exec(stderr);
  if (!found) return complaintIn(stderr);
  const lines = candidate.split('\n');
  const at = Number(found[1]) - 1;
  const line = lines[at] ?? '';
  const nth = lines.slice(0, at).filter(other => other === line).length;
  const own = before.split(/\r?\n/);
  const number = own.findIndex(
    (other, index) => other === line && own.slice(0, index).filter(x => x === line).length === nth,
  );
  return `line ${number + 1}, \`${line.trim()}\`: ${found[2]}`;
}
