/**
 * Makes untrusted bytes of a guest or tool safe for logs and messages: escapes control characters and limits the
 * length.
 */
export function printable(text: string, maxCharacters = 1_000): string {
  const shown = text
    .trim()
    .replaceAll(/\r?\n/g, ' · ')
    // C0, C1, bidirectional control characters, and Unicode line separators.
    .replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, escaped);
  return shown.length <= maxCharacters ? shown : `${shown.slice(0, maxCharacters)}…`;
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
