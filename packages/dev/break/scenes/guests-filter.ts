import { allowed, translation } from '@minifleet/world/mac';
import type { Seen } from '../breakage.ts';
import type { Stage } from '../stage.ts';

export const RULES_FILE = '/etc/pf.anchors/tuist.runners';

const GUEST = '192.168.64.5';
const PRIVATE = '10.1.2.3';
const FORGE = '140.82.121.3';

/** What a guest of the host gets through, by the rules that the kernel evaluates now. */
export const guestOf = ({ mac }: Pick<Stage, 'mac'>) => ({
  reachesPrivate: () => allowed(mac(), { from: GUEST, to: PRIVATE, port: 443 }),
  reachesForgeBySsh: () => allowed(mac(), { from: GUEST, to: FORGE, port: 22 }),
  isTranslated: () => translation(mac(), { from: GUEST, to: '1.1.1.1' }) !== undefined,
});

/** Without the main ruleset's references: what a load of pf.conf adds there is of no harm. */
const LOOK = `cat /etc/pf.conf ${RULES_FILE}
pfctl -nf /etc/pf.conf && echo pf takes it
pfctl -v -s Tables
for anchor in com.apple/tuist.runners tuist.runners; do
  pfctl -a $anchor -s rules
  pfctl -a $anchor -v -s Tables
  for table in vm_sources blocked_dst; do pfctl -a $anchor -t $table -T show; done
done`;

/** The guests' filter as its files and the kernel hold it. */
export const filterOf = async ({ run }: Pick<Stage, 'run'>): Promise<string> => (await run(LOOK)).out;

/** Looks whether the filter is what it was, stops guests, and the host serves; and what else must hold, in its words. */
export const untilFilterIs =
  (stage: Stage, before: string, also?: { readonly holds: () => boolean; readonly words: string }) =>
  async (): Promise<Seen | undefined> => {
    const right = (await filterOf(stage)) === before && !guestOf(stage).reachesPrivate() && (also?.holds() ?? true);
    if (!right || !(await stage.isWell())) return undefined;
    const words = ['files and kernel hold the filter as before', `a guest does not reach ${PRIVATE}`, also?.words];
    return { healed: words.filter(word => word !== undefined).join(', ') };
  };
