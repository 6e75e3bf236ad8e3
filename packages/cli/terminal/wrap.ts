import { stripVTControlCharacters } from 'node:util';

/** ASCII and the punctuation of this program's messages. Each character takes one column. */
const PLAIN = /^[ -~‐-…]*$/;
let segmenter: Intl.Segmenter | undefined;

/** Splits text into visible characters. Plain text avoids the segmenter, which takes longer to create than the cluster to answer. */
function lettersOf(text: string): string[] {
  if (PLAIN.test(text)) return text.split('');
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Returns the width of a text in columns, without colour codes. */
export const widthOf = (text: string): number => lettersOf(stripVTControlCharacters(text)).length;

/** Wraps a text at spaces. A word that is wider than the line (a path, a hash) is split. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap(each => cut(each, width))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) {
      line = longer;
    } else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

function cut(word: string, width: number): string[] {
  const letters = lettersOf(word);
  if (letters.length <= width) return [word];
  const pieces: string[] = [];
  for (let start = 0; start < letters.length; start += width) pieces.push(letters.slice(start, start + width).join(''));
  return pieces;
}

/** Truncates a text to one line with an ellipsis. A truncated text loses its colours. */
export function clip(text: string, width: number): string {
  const line = text.replaceAll(/\s+/g, ' ');
  if (widthOf(line) <= width) return line;
  return `${lettersOf(stripVTControlCharacters(line))
    .slice(0, Math.max(0, width - 1))
    .join('')}…`;
}
