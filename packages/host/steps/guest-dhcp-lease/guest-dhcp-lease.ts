import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { current, drift, type StepDefinition } from '../../engine/step.ts';
import type { Host, HostView } from '../../host.ts';
import { scriptFailure } from '../../script-failure.ts';

export const HOST_LEASE_INVALID = defineError('HOST_LEASE_INVALID', {
  retry: 'untilSpecChanges',
  reason: 'HostLeaseInvalid',
  text: '{address}: a guest DHCP lease of {seconds} seconds is not possible; choose a whole number from 60 to 86400; nothing was changed',
});

interface GuestDhcpLeaseSettings {
  /** DHCP lease time. With the macOS default of one day, the 254th guest gets no address. */
  readonly seconds: number;
}

const FILE = '/Library/Preferences/SystemConfiguration/com.apple.InternetSharing.default.plist';
const KEY = 'bootpd.DHCPLeaseTimeSecs';

/** Short DHCP lease for guests. Takes effect the next time the guest network starts; running VMs keep their lease. */
export const guestDhcpLease = {
  id: 'guest-dhcp-lease',
  title: 'short DHCP lease for guests',
  disturbs: 'nothing',
  timeout: minutes(1),

  async inspect(host, { seconds }) {
    const present = await readLease(host);
    if (present === String(seconds)) return current();
    return drift(`guest DHCP leases last ${inWords(present)}, expected ${seconds} s`);
  },

  async change(host, { seconds }) {
    if (!Number.isInteger(seconds) || seconds < 60 || seconds > 86_400) {
      throw HOST_LEASE_INVALID({ seconds, address: host.address });
    }
    return writeLease(host, String(seconds));
  },

  removal: {
    async inspect(host) {
      const present = await readLease(host);
      return present === undefined
        ? current()
        : drift(`guest DHCP leases last ${inWords(present)}, expected the macOS default`);
    },
    change: host => writeLease(host, 'absent'),
  },
} satisfies StepDefinition<GuestDhcpLeaseSettings>;

async function readLease(host: HostView): Promise<string | undefined> {
  const { exitCode, stdout } = await host.query(['/usr/bin/plutil', '-extract', KEY, 'raw', '-o', '-', FILE], {
    root: true,
  });
  return exitCode === 0 ? stdout.trim() : undefined;
}

const inWords = (present: string | undefined): string =>
  present === undefined ? 'one day (macOS default)' : `${present} s`;

async function writeLease(host: Host, desired: string): Promise<string[]> {
  const ran = await host.script('guest-dhcp-lease', [FILE, desired]);
  if (ran.exitCode !== 0) throw scriptFailure(host, { command: 'guest-dhcp-lease', path: FILE }, ran);
  return ran.stdout.split('\n').filter(line => line !== '');
}
