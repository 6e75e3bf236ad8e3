/** Asks one question at the terminal it is run at, for a test that holds the other end. */
import { terminalPrompts } from '../prompts.ts';

const answer = await terminalPrompts(process.stdin, process.stdout).password('Password of m1');
process.stdout.write(answer === undefined ? 'got nothing\n' : `got ${answer.length} letters\n`);
process.exit(0);
