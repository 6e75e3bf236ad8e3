/** `npm run incidents -- --old-way|--our-way`: runs every incident with the original procedure or with Minifleet, and prints the result. */
import {
  describeOldWay,
  describeOurWay,
  hasOldWay,
  hasOurWay,
  incidents,
  runOldWay,
  runOurWay,
} from '@minifleet/dev/testing/incidents';

const reenactable = incidents.filter(hasOldWay);

async function oldWay(): Promise<boolean> {
  let wrong = 0;
  for (const incident of reenactable) {
    const run = await runOldWay(incident);
    if (!run.matches) wrong += 1;
    console.log(describeOldWay(incident, run));
  }
  console.log(`\n${reenactable.length - wrong} of ${reenactable.length} original procedures fail as documented`);
  return wrong === 0;
}

async function ourWay(): Promise<boolean> {
  const ours = reenactable.filter(hasOurWay);
  let wrong = 0;
  for (const incident of reenactable) {
    if (!hasOurWay(incident)) {
      console.log(`${incident.id} ${incident.title}\n    not run here: ${incident.coveredBy ?? 'NOT COVERED'}`);
      continue;
    }
    const run = await runOurWay(incident);
    if (!run.matches) wrong += 1;
    console.log(describeOurWay(incident, run));
  }
  console.log(`\n${ours.length - wrong} of ${ours.length} host incidents have the required result with Minifleet`);
  console.log(`${reenactable.length - ours.length} incidents do not happen on a host and were not run`);
  return wrong === 0;
}

const passed = process.argv.includes('--our-way') ? await ourWay() : await oldWay();
if (!passed) process.exitCode = 1;
