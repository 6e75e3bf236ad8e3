import type { MacPart } from '../mac-part.ts';
import { root } from '../user.ts';
import { loadRules } from './load-rules.ts';
import { pfOf, resetPf } from './pf.ts';
import { pfctl } from './pfctl.ts';

/** The packet filter. At boot the system loads /etc/pf.conf and leaves pf disabled, until a job of someone enables it. */
export const pfPart: MacPart = mac => {
  mac.onBoot(() => {
    const pf = pfOf(mac);
    resetPf(pf);
    const read = (path: string): string => mac.files.read(root, path).toString();
    const gap = (detail: string): void => mac.around.journal.unmodelled(`mac/${mac.options.name}`, detail);
    const errors = loadRules(pf, { anchor: '', path: '/etc/pf.conf', dry: false, read, gap });
    mac.around.journal.add(`mac/${mac.options.name}`, 'pf boot load', errors[0] ?? 'ok');
  });
  return { programs: { '/sbin/pfctl': pfctl } };
};
