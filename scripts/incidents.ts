/** `npm run incidents -- --old-way`: lives every incident through again as its operators did, and tells what it said. */
import { describeReenactment, incidents, openScene, reenact } from '@minifleet/world';

let unhurt = 0;
for (const incident of incidents) {
  const reenactment = await reenact(incident, () => openScene());
  if (!reenactment.hurt) unhurt += 1;
  console.log(describeReenactment(reenactment));
}
console.log(`\n${incidents.length - unhurt} of ${incidents.length} incidents hurt as documented`);
if (unhurt > 0) process.exitCode = 1;
