import { describeReenactment, incidents, openScene, reenact } from '@minifleet/world';
import { describeOurWay, liveThrough } from '../../packages/host/testing/incidents/live-through.ts';
import { ourWays } from '../../packages/host/testing/incidents/our-ways.ts';

/** Records the output of `npm run incidents -- --old-way|--our-way` for each incident, by screen name. */
export async function recordReenactments(): Promise<ReadonlyMap<string, string>> {
  const screens = new Map<string, string>();
  for (const incident of incidents) {
    const lived = await reenact(incident, () => openScene());
    screens.set(`old-way-${incident.id}`, screen('--old-way', describeReenactment(lived)));
  }
  for (const incident of ourWays) {
    const lived = await liveThrough(incident);
    screens.set(`our-way-${incident.id}`, screen('--our-way', describeOurWay(lived)));
  }
  return screens;
}

const screen = (way: string, output: string): string => `$ npm run incidents -- ${way}\n${output}\n`;
