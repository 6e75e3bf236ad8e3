import type { Mac } from '../mac.ts';
import { parseFile } from './parse-file.ts';
import { addSystemRules, pfOf } from './pf.ts';

/** What macOS puts into the main ruleset when the first guest needs vmnet (derived: stock pf.conf says services do so). */
const ANCHORS =
  'scrub-anchor "com.apple.internet-sharing"\nnat-anchor "com.apple.internet-sharing"\n' +
  'rdr-anchor "com.apple.internet-sharing"\nanchor "com.apple.internet-sharing"\n';

/** From now on a whole reload of /etc/pf.conf collides with the running ruleset (facts §3.10). */
export const startInternetSharing = (mac: Mac): void => {
  const pf = pfOf(mac);
  if (pf.rulesets.get('')?.rules.filter.some(rule => rule.anchor === 'com.apple.internet-sharing')) return;
  addSystemRules(pf, parseFile(ANCHORS).rules);
};
