/** `npm run incidents -- --old-way|--our-way`: lives every incident through again, as its operators did or as we do, and tells what was seen. */
import { describeReenactment, incidents, openScene, reenact } from '@minifleet/world';
import { elsewhere } from '../packages/host/testing/incidents/elsewhere.ts';
import { describeOurWay, liveThrough } from '../packages/host/testing/incidents/live-through.ts';
import { ourWays } from '../packages/host/testing/incidents/our-ways.ts';

async function oldWay(): Promise<boolean> {
  let unhurt = 0;
  for (const incident of incidents) {
    const reenactment = await reenact(incident, () => openScene());
    if (!reenactment.hurt) unhurt += 1;
    console.log(describeReenactment(reenactment));
  }
  console.log(`\n${incidents.length - unhurt} of ${incidents.length} incidents hurt as documented`);
  return unhurt === 0;
}

async function ourWay(): Promise<boolean> {
  let broken = 0;
  for (const { id, title } of incidents) {
    const incident = ourWays.find(one => one.id === id);
    const lived = incident && (await liveThrough(incident));
    if (lived && !lived.holds) broken += 1;
    console.log(lived ? describeOurWay(lived) : `${id} ${title}\n    not done here: ${whereIs(id)}`);
  }
  const others = incidents.length - ourWays.length;
  console.log(
    `\n${ourWays.length - broken} of ${ourWays.length} incidents done our way come to what the list asks for`,
  );
  console.log(`${others} of the list are not a host’s and were not run`);
  return broken === 0;
}

const whereIs = (id: string): string => elsewhere.find(one => one.id === id)?.where ?? 'NOBODY DOES IT';

const held = process.argv.includes('--our-way') ? await ourWay() : await oldWay();
if (!held) process.exitCode = 1;
