import { pfOf } from '@minifleet/world/mac';
import { FLEETS } from '../../up/fleets/share-hosts.ts';
import { type Breakage, HEALED_WITHIN } from '../breakage.ts';
import { filterOf, guestOf, RULES_FILE, untilFilterIs } from '../scenes/guests-filter.ts';
import { doTheOldWay, oldWayOf, requireHurt } from '../scenes/old-way.ts';

const CACHE = '/opt/tuist-build-cache';
const WARM = `sudo -u m1 touch ${CACHE}/warm`;

/** What the notes beyond the forty incidents tell. */
export const fieldNoteBreakages: readonly Breakage[] = [
  {
    id: 'F01',
    title: 'the guests’ filter is loaded and never evaluated',
    fleets: FLEETS,
    promise: 'the running ruleset refers to the filter again, and guests are stopped',
    within: HEALED_WITHIN,
    async strike(stage) {
      const before = await filterOf(stage);
      const { code } = await stage.run(`pfctl -F rules && pfctl -a tuist.runners -f ${RULES_FILE}`);
      const reaches = guestOf(stage).reachesPrivate() ? 'still reaches' : 'does not reach';
      requireHurt(stage, oldWayOf('F01'), `install: exit status ${code}, and a guest ${reaches} 10.1.2.3`);
      return {
        did: 'took the references out of the running ruleset; what is loaded below is not evaluated',
        look: untilFilterIs(stage, before),
      };
    },
  },
  {
    id: 'F02',
    title: 'git over SSH times out in guests',
    fleets: FLEETS,
    promise: 'the guard is gone, and a guest reaches port 22 of the forge',
    within: HEALED_WITHIN,
    async strike(stage) {
      const before = await filterOf(stage);
      // In the file, too: the host's own job loads it each minute, and would undo what is only in the kernel.
      await stage.run(`rules=$(cat ${RULES_FILE})
printf '%s\\n' 'block drop in quick proto tcp from any to any port 22' "$rules" > ${RULES_FILE}
pfctl -a com.apple/tuist.runners -f ${RULES_FILE}`);
      const reaches = guestOf(stage).reachesForgeBySsh() ? 'reaches' : 'cannot reach';
      requireHurt(stage, oldWayOf('F02'), `a guest ${reaches} port 22 of the forge`);
      return {
        did: 'guarded port 22 of the host in the guests’ filter, without a thought for what guests reach there',
        look: untilFilterIs(stage, before, {
          holds: guestOf(stage).reachesForgeBySsh,
          words: 'and reaches port 22 of the forge',
        }),
      };
    },
  },
  {
    id: 'F03',
    title: 'every job is cold: the cache belongs to root',
    fleets: ['builders'],
    promise: 'the cache belongs to the account that runs the jobs again',
    within: HEALED_WITHIN,
    async strike(stage) {
      // As a volume is that was just mounted there.
      const { err } = await stage.run(`chown root:wheel ${CACHE}; ${WARM}`);
      requireHurt(stage, oldWayOf('F03'), err);
      return {
        did: `gave ${CACHE} to root`,
        async look() {
          const { code } = await stage.run(`${WARM} && rm ${CACHE}/warm`);
          return code === 0 && (await stage.isWell()) ? { healed: 'a job can write to the cache' } : undefined;
        },
      };
    },
  },
  {
    id: 'F04',
    title: 'NAT rules exist and are never evaluated',
    fleets: FLEETS,
    promise: 'pf.conf is right and loaded, and guests’ packets leave with the host’s address',
    within: HEALED_WITHIN,
    async strike(stage) {
      const before = await filterOf(stage);
      const { settings } = pfOf(stage.mac());
      const { wholeReloadCollides } = settings;
      const incident = oldWayOf('F04');
      await doTheOldWay(stage, incident);
      Object.assign(settings, { wholeReloadCollides });
      return {
        did: incident.did,
        look: untilFilterIs(stage, before, {
          holds: guestOf(stage).isTranslated,
          words: 'and its packets leave with the host’s address',
        }),
        async tidy() {
          await stage.run('pfctl -a com.apple/tuist.vmnat -F nat; rm -f /tmp/older.conf');
        },
      };
    },
  },
];
