/** Asks for a password on its terminal. A test controls the other end of the terminal. */
import { terminalPrompts } from '../prompts.ts';

const answer = await terminalPrompts(process.stdin, process.stdout).password('Password of m1');
process.stdout.write(answer === undefined ? 'got nothing\n' : `got ${answer.length} letters\n`);
process.exit(0);
