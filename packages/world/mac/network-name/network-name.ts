import type { Mac, MacPart, Program } from '../mac.ts';
import { namesOf } from '../unix/system/names.ts';
import { unixPrograms } from '../unix/unix-programs.ts';
import { onOwnTime, sntp } from './mac-time.ts';

interface DhcpLease {
  /** The host name in the DHCP lease. */
  name: string | undefined;
}

const KEY = Symbol('lease');

const leaseOf = (mac: Mac): DhcpLease => mac.state(KEY, () => ({ name: undefined }));

/** Output of `hostname`: the HostName, else the lease's name, else the Bonjour name (facts §3.6). */
function hostNameOf(mac: Mac): string {
  const { HostName: set, LocalHostName: local } = namesOf(mac);
  return set ?? leaseOf(mac).name ?? `${local}.local`;
}

/** Simulates a DHCP lease with a host name. A Mac without a HostName uses it from then on. */
export function renewLease(mac: Mac, name: string | undefined): void {
  leaseOf(mac).name = name;
  mac.around.journal.add(`mac/${mac.options.name}`, 'dhcp lease', `${name ?? 'no name'}, now ${hostNameOf(mac)}`);
}

/** Host name and clock of a Mac: both drift from the configured value. */
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

/**
 * Simulates /bin/hostname without arguments or with `-s`. A name set with it lasts only until the next lease, so
 * setting is not supported.
 */
const hostname: Program = run => {
  const [, word] = run.argv;
  const name = hostNameOf(run.mac);
  if (word === undefined || word === '-f') run.out(`${name}\n`);
  else if (word === '-s') run.out(`${name.split('.')[0]}\n`);
  else {
    run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, run.argv.join(' '));
    run.err('usage: hostname [-f] [-s] [name-of-host]\n');
    return 1;
  }
  return 0;
};
