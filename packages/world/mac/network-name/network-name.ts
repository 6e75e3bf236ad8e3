import type { Mac, MacPart, Program } from '../mac.ts';
import { namesOf } from '../unix/system/names.ts';
import { unixPrograms } from '../unix/unix-programs.ts';
import { onOwnTime, sntp } from './mac-time.ts';

interface DhcpLease {
  /** The name DHCP handed out with the address. */
  name: string | undefined;
}

const KEY = Symbol('lease');

const leaseOf = (mac: Mac): DhcpLease => mac.state(KEY, () => ({ name: undefined }));

/** What `hostname` prints: the name that was set, else the lease's, else the Bonjour name (facts §3.6). */
function hostNameOf(mac: Mac): string {
  const { HostName: set, LocalHostName: local } = namesOf(mac);
  return set ?? leaseOf(mac).name ?? `${local}.local`;
}

/** DHCP hands out a lease with a name in it: a Mac without a HostName of its own is called so from now on. */
export function renewLease(mac: Mac, name: string | undefined): void {
  leaseOf(mac).name = name;
  mac.around.journal.add(`mac/${mac.options.name}`, 'dhcp lease', `${name ?? 'no name'}, now ${hostNameOf(mac)}`);
}

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

/** /bin/hostname, without arguments or `-s`. Setting it lasts until the next lease, so nobody should. */
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
