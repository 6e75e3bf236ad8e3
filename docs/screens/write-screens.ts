/** `node docs/screens/write-screens.ts`: records the output of the program in this folder and in docs/hosts.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { recordScreens } from './record-screens.ts';
import { withScreens } from './shown-in-page.ts';

const folder = new URL('.', import.meta.url);
const page = new URL('../hosts.md', folder);

const screens = await recordScreens();
for (const [name, text] of screens) writeFileSync(new URL(name, folder), text);
writeFileSync(page, withScreens(readFileSync(page, 'utf8'), screens));
