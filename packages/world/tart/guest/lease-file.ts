import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { behaviourOf } from '../host/host-file.ts';
import { readConfig, readFacts } from '../storage/bundle.ts';
import { listLocal, type NamedBundle, stateOf } from '../storage/local-vms.ts';
import { holding, tryLock } from '../storage/lock.ts';
import { type TartCall, TartFailure } from '../tart-call.ts';

/** One block of `/var/db/dhcpd_leases` (facts 10.7). */
interface GuestLease {
  readonly name: string;
  readonly address: string;
  readonly mac: string;
  /** Expiry in seconds since the epoch. */
  readonly ends: number;
}

const DEFAULTS = { prefix: '192.168.64', first: 2, last: 254, leaseSeconds: 86_400 };

const leaseFile = (call: TartCall): string =>
  call.host().network?.leaseFile ?? join(call.worldDirectory, 'dhcpd_leases');

/** Returns the address of the newest valid lease of a MAC address. */
export function addressOf(call: TartCall, mac: string): string | undefined {
  const now = call.around.clock.now() / 1_000;
  return readLeases(call)
    .filter(lease => lease.mac === withoutLeadingZeros(mac) && lease.ends > now)
    .sort((one, other) => other.ends - one.ends)[0]?.address;
}

interface LeaseRequest {
  readonly name: string;
  readonly mac: string;
  /** Assigned even if another guest has it: two guests with one address. */
  readonly address?: string | undefined;
}

/** Assigns an address like bootpd: the guest's previous one, else a free one; none if all are leased. */
export function takeLease(call: TartCall, wish: LeaseRequest): Promise<string | undefined> {
  return holding(call, `${leaseFile(call)}.lock`, () => {
    const { prefix, first, last, leaseSeconds } = { ...DEFAULTS, ...call.host().network };
    const now = Math.floor(call.around.clock.now() / 1_000);
    const mac = withoutLeadingZeros(wish.mac);
    const leases = readLeases(call);
    const live = leases.filter(lease => lease.ends > now);
    const taken = new Set(live.filter(lease => lease.mac !== mac).map(lease => lease.address));
    const range = Array.from({ length: last - first + 1 }, (_, index) => `${prefix}.${first + index}`);
    const own = live.find(lease => lease.mac === mac)?.address;
    const address = wish.address ?? own ?? range.find(each => !taken.has(each));
    if (address === undefined) {
      call.around.journal.add('tart', 'no address left', wish.name);
      return undefined;
    }
    const lease = { name: wish.name, address, mac, ends: now + leaseSeconds };
    writeLeases(call, [lease, ...live.filter(each => each.mac !== mac)]);
    return address;
  });
}

function readLeases(call: TartCall): GuestLease[] {
  const path = leaseFile(call);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('}')
    .flatMap(block => {
      const field = (name: string): string | undefined => new RegExp(`\\b${name}=(.+)`).exec(block)?.[1]?.trim();
      const [name, address, hardware, ends] = ['name', 'ip_address', 'hw_address', 'lease'].map(field);
      if (address === undefined || hardware === undefined || ends === undefined) return [];
      return [{ name: name ?? '', address, mac: hardware.replace(/^1,/, ''), ends: Number(ends) }];
    });
}

const writeLeases = (call: TartCall, leases: readonly GuestLease[]): void =>
  writeFileSync(leaseFile(call), leases.map(blockOf).join(''));

const blockOf = (lease: GuestLease): string =>
  [
    '{',
    `\tname=${lease.name}`,
    `\tip_address=${lease.address}`,
    `\thw_address=1,${lease.mac}`,
    `\tidentifier=1,${lease.mac}`,
    `\tlease=0x${lease.ends.toString(16)}`,
    '}\n',
  ].join('\n');

const withoutLeadingZeros = (mac: string): string =>
  mac
    .split(':')
    .map(part => part.replace(/^0(?=.)/, ''))
    .join(':');

const DEFAULT_LIMIT = 2;

/** Printed without a prefix: `run` itself prints the error (observed in openai/tart issues 1067, 1132). */
const vzError = (code: number, text: string, failure = 'Internal Virtualization error.'): TartFailure =>
  new TartFailure(
    `Error Domain=VZErrorDomain Code=${code} "${text}" UserInfo={NSLocalizedFailure=${failure}, NSLocalizedFailureReason=${text}}`,
  );

/** Checks of the Virtualization framework before a VM starts. The slot is held until the process exits. */
export async function takePlace(call: TartCall, vm: NamedBundle): Promise<void> {
  const host = call.host();
  const behaviour = behaviourOf(host, vm.name, readFacts(vm.bundle).image);
  const config = readConfig(vm.bundle);
  if (config.os === 'darwin') {
    // macOS does not nest in macOS (S3, I30); the message is the framework's.
    if (call.environment['GUEST_ROOT'] !== undefined) {
      throw vzError(2, 'Virtualization is not available on this hardware.', 'Invalid virtual machine configuration.');
    }
    if (host.gui === false) throw vzError(-9, 'Failed to create new HostKey');
    if (host.keychainLocked) throw vzError(1, 'The virtual machine failed to start.');
    if (!takeSlot(call)) throw limitReached(call, vm.name);
  }
  if (behaviour.startFailure === 'failed to start') throw vzError(1, 'The virtual machine failed to start.');
  if (behaviour.startFailure === 'auxiliary storage') {
    throw vzError(2, 'Failed to lock auxiliary storage.', 'Invalid virtual machine configuration.');
  }
}

/** The kernel counts macOS guests of the whole host, in any TART_HOME. Linux guests do not count. */
function takeSlot(call: TartCall): boolean {
  const { macosGuests = DEFAULT_LIMIT, foreignGuests = 0 } = call.host();
  const directory = join(call.worldDirectory, 'places');
  mkdirSync(directory, { recursive: true });
  for (let place = 0; place < macosGuests - foreignGuests; place++) {
    if (tryLock(join(directory, `${place}`))) return true;
  }
  return false;
}

function limitReached(call: TartCall, name: string): TartFailure {
  const others = listLocal(call)
    .filter(entry => entry.name !== name && stateOf(call, entry) === 'running')
    .map(entry => entry.name);
  const list = others.length === 0 ? '' : ` (other running VMs: ${others.join(', ')})`;
  return new TartFailure(`The number of VMs exceeds the system limit${list}`);
}
