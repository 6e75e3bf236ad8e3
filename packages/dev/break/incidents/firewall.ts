import { FLEETS } from '../../up/fleets/share-hosts.ts';
import { type Breakage, HEALED_WITHIN } from '../breakage.ts';
import { filterOf, untilFilterIs } from '../scenes/guests-filter.ts';
import { doTheOldWay, oldWayOf } from '../scenes/old-way.ts';

/** Each is `Resource busy` to whoever loads the filter next. */
const busy = (id: string, promise: string): Breakage => {
  const incident = oldWayOf(id);
  return {
    id,
    title: incident.title,
    fleets: FLEETS,
    promise,
    within: HEALED_WITHIN,
    async strike(stage) {
      const before = await filterOf(stage);
      await doTheOldWay(stage, incident);
      return { did: incident.did, look: untilFilterIs(stage, before) };
    },
  };
};

/** What happened to the guests' filter. */
export const firewallBreakages: readonly Breakage[] = [
  busy('I01', 'pf.conf holds the block once again, and pf takes it'),
  busy('I02', 'the unmarked stanza is gone, and the block there once'),
  busy('I03', 'the tables are killed in the main ruleset, and the wanted rules loaded'),
  busy('I04', 'the tables are killed at the anchor, and the wanted rules loaded'),
  busy('I05', 'the emptied tables are killed, and the wanted rules loaded'),
];
