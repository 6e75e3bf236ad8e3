import { conditionText, machines } from '@minifleet/cli/cluster';
import { seconds } from '@minifleet/clock';
import { FLEETS } from '../../up/fleets/share-hosts.ts';
import type { Breakage } from '../breakage.ts';

/** The one of the incident; no Mac of `up` runs it, so that nobody else misses it. */
const RETIRED = 'macos-tahoe-26.3';

/** What happened to the vendor's images. */
export const vendorBreakages: readonly Breakage[] = [
  {
    id: 'I31',
    title: `the vendor retires ${RETIRED}, which the machine names`,
    fleets: FLEETS,
    promise: 'it is said which image of the family is used instead, and the machine stays Ready',
    within: seconds(60),
    async strike(stage) {
      const { namespace, name, world } = stage;
      const { console: vendor } = world.scaleway;
      const image = vendor.catalogue().images.find(offered => offered.name === RETIRED);
      // The vendor's whole catalogue; put back as soon as it is seen.
      vendor.retireImage(RETIRED);
      const os = (await stage.machine())?.spec.os;
      const write = (wanted: string | undefined) =>
        stage.client.patch(machines, { namespace, name }, { type: 'merge', body: { spec: { os: wanted } } });
      await write(RETIRED);
      return {
        did: `retired ${RETIRED} at the vendor, and had the machine want it`,
        async look() {
          const samm = await stage.machine();
          const told = samm && conditionText(samm, 'OSImageCurrent', 'False');
          return told?.includes(RETIRED) && (await stage.isWell()) ? { named: told } : undefined;
        },
        async tidy() {
          await write(os);
          if (image) vendor.publishImage(image);
        },
      };
    },
  },
];
