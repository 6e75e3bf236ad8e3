import type { MacPart } from '../mac-part.ts';
import { unixPrograms } from '../unix/programs.ts';
import { hostname } from './hostname.ts';
import { onOwnTime, sntp } from './mac-time.ts';

/** What a Mac is called and what time it thinks it is: both drift away from what was set. */
export const networkNamePart: MacPart = () => {
  const date = unixPrograms['/bin/date'];
  return {
    programs: {
      '/bin/hostname': hostname,
      '/usr/bin/sntp': sntp,
      ...(date ? { '/bin/date': onOwnTime(date) } : {}),
    },
  };
};
