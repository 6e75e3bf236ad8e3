import type { Readable, Writable } from 'node:stream';
import type { Prompts } from '../context.ts';

/** Asks questions on a terminal. The library is loaded with the first question, because most commands ask none. */
export function terminalPrompts(input: Readable, output: Writable): Prompts {
  const streams = { input, output, withGuide: false };
  return {
    async password(message) {
      const { isCancel, password } = await import('@clack/prompts');
      // No mask, because it would reveal the length of the password.
      const answer = await password({ ...streams, message, mask: '' });
      return isCancel(answer) ? undefined : answer;
    },
    async confirm(message) {
      const { confirm, isCancel } = await import('@clack/prompts');
      const answer = await confirm({ ...streams, message, initialValue: false });
      return isCancel(answer) ? undefined : answer;
    },
  };
}
