/** `node docs/incidents/write-reenactments.ts`: reproduces every incident and writes the output into its page. */
import { readFileSync, writeFileSync } from 'node:fs';
import { withScreens } from '../screens/shown-in-page.ts';
import { folder, incidentPages } from './incident-page.ts';
import { recordReenactments } from './record-reenactments.ts';

const screens = await recordReenactments();
for (const { file } of incidentPages()) {
  const path = new URL(file, folder);
  writeFileSync(path, withScreens(readFileSync(path, 'utf8'), screens));
}
