import {
  describeOldWay,
  describeOurWay,
  hasOldWay,
  hasOurWay,
  incidents,
  runOldWay,
  runOurWay,
} from '@minifleet/dev/testing/incidents';

/** Records the output of `npm run incidents -- --old-way|--our-way` for each incident, by screen name. */
export async function recordReenactments(): Promise<ReadonlyMap<string, string>> {
  const screens = new Map<string, string>();
  for (const incident of incidents.filter(hasOldWay)) {
    const output = describeOldWay(incident, await runOldWay(incident));
    screens.set(`old-way-${incident.id}`, screen('--old-way', output));
  }
  for (const incident of incidents.filter(hasOurWay)) {
    const output = describeOurWay(incident, await runOurWay(incident));
    screens.set(`our-way-${incident.id}`, screen('--our-way', output));
  }
  return screens;
}

const screen = (way: string, output: string): string => `$ npm run incidents -- ${way}\n${output}\n`;
