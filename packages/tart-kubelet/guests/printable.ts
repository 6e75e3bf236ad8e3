/** Bytes of a guest or a tool as words for our own logs and for messages: control characters are shown, not obeyed, and there is an end to it. */
export function plainWords(text: string, mostCharacters = 1_000): string {
  const shown = text
    .trim()
    .replaceAll(/\r?\n/g, ' · ')
    // C0, C1, the marks that turn the direction of text, and Unicode's own line ends.
    .replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, escaped);
  return shown.length <= mostCharacters ? shown : `${shown.slice(0, mostCharacters)}…`;
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
