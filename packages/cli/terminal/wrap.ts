import { stripVTControlCharacters } from 'node:util';

/** ASCII and the quotes, dashes and dots of our own sentences: each is one letter. */
const PLAIN = /^[ -~‐-…]*$/;
let segmenter: Intl.Segmenter | undefined;

/** What a person sees as one letter each. A segmenter takes longer to make than a cluster to answer: plain text does without. */
function lettersOf(text: string): string[] {
  if (PLAIN.test(text)) return text.split('');
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** How many columns a text takes; colours take none. */
export const widthOf = (text: string): number => lettersOf(stripVTControlCharacters(text)).length;

/** Breaks a text at spaces so that no line is wider; a word that is wider by itself (a path, a hash) is cut. */
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

/** Cut to one line of that width, with an ellipsis where something is missing. What is cut loses its colours. */
export function clip(text: string, width: number): string {
  const line = text.replaceAll(/\s+/g, ' ');
  if (widthOf(line) <= width) return line;
  return `${lettersOf(stripVTControlCharacters(line))
    .slice(0, Math.max(0, width - 1))
    .join('')}…`;
}
