/** A simulated host for tests of the guests' filter, and what its guests reach. */
import { type BuiltMac, execute, root } from '@minifleet/world/mac';
import { allowed, type Packet } from '@minifleet/world/testing/mac';
import { planRemoval, planStep } from '../../../engine/step.ts';
import { type ConvergedStep, convergeStep, passTime, type TestHost } from '../../../testing/index.ts';
import { DEFAULT_BLOCKED, DEFAULT_GUESTS, type VmEgressSettings } from '../egress-spec.ts';
import { vmEgress } from '../vm-egress.ts';

export { pfOf, startInternetSharing } from '@minifleet/world/testing/mac';

/** The defaults, with the services the operators' hosts let guests reach (facts §3.10). */
export const WANT: VmEgressSettings = {
  guests: DEFAULT_GUESTS,
  blocked: DEFAULT_BLOCKED,
  allow: [
    { to: '10.96.0.0/12', ports: '4000', protocols: ['tcp'] },
    { to: '10.96.0.10', ports: '53', protocols: ['tcp', 'udp'] },
    { to: '172.16.4.0/22', ports: '30000:32767', protocols: ['tcp'] },
  ],
};

/** Written out: hosts carry these names and lines from before. */
export const ANCHOR_FILE = '/etc/pf.anchors/tuist.runners';
export const STANZA = `anchor "tuist.runners"\nload anchor "tuist.runners" from "${ANCHOR_FILE}"\n`;

export const install = ({ host, clock }: TestHost, want: VmEgressSettings = WANT): Promise<ConvergedStep> =>
  passTime(clock, convergeStep(host, planStep(vmEgress, want)));

export const takeOff = ({ host, clock }: TestHost): Promise<ConvergedStep> =>
  passTime(clock, convergeStep(host, planRemoval(vmEgress)));

/** Shell text as root, as someone at the host would type it. */
export const byHand = ({ mac, clock }: TestHost, script: string) =>
  passTime(clock, execute(mac, script, { user: root }));

export const read = ({ mac }: TestHost, path: string): string => mac.files.read(root, path).toString();

export const write = ({ mac }: TestHost, path: string, text: string): void => {
  if (mac.files.exists(root, path)) mac.files.remove(root, path);
  mac.files.write(root, path, text);
};

const GUEST = { from: '192.168.64.5' };
const GUEST6 = { from: 'fdb3:1:2:3::5' };
/** A packet for the host itself goes nowhere else. */
const TO_HOST = { outOn: null };

const forbidden = (mac: BuiltMac): readonly Packet[] => [
  ...['10.0.0.1', '172.16.0.1', '172.31.255.1', '192.168.1.1', '192.168.68.1', '169.254.169.254', '100.64.0.1'].map(
    to => ({ ...GUEST, to, port: 443 }),
  ),
  // The wrong port or protocol of what is allowed.
  { ...GUEST, to: '10.100.0.1', port: 22 },
  { ...GUEST, to: '10.100.0.1', port: 4000, protocol: 'udp' },
  { ...GUEST, to: '172.16.5.1', port: 29_999 },
  // The host by its addresses, and other guests.
  { ...GUEST, ...TO_HOST, to: '192.168.64.1', port: 22 },
  { ...GUEST, ...TO_HOST, to: '192.168.64.1', port: 8080 },
  { ...GUEST, ...TO_HOST, to: '192.168.64.1', port: 5353, protocol: 'udp' },
  { ...GUEST, ...TO_HOST, to: mac.options.address, port: 22 },
  { ...GUEST, to: '192.168.64.9', port: 22, outOn: 'bridge100' },
  // An address of its own choice does not help a guest, nor does IPv6.
  { from: '203.0.113.9', to: '10.0.0.1', port: 443, protocol: 'udp' },
  { ...GUEST6, to: 'fd00::1', port: 443 },
  { ...GUEST6, to: 'fe80::1', port: 22, ...TO_HOST },
  { from: 'fe80::5', to: 'fe80::1', port: 22, ...TO_HOST },
];

const free: readonly Packet[] = [
  { ...GUEST, to: '1.1.1.1', port: 443 },
  { ...GUEST, to: '140.82.121.3', port: 22 },
  { ...GUEST, to: '192.0.2.1', port: 123, protocol: 'udp' },
  { ...GUEST, to: '8.8.8.8', protocol: 'icmp' },
  // Addresses and names from the host.
  { ...GUEST, ...TO_HOST, to: '192.168.64.1', port: 53, protocol: 'udp' },
  { ...GUEST, ...TO_HOST, to: '192.168.64.1', port: 53 },
  { ...GUEST, ...TO_HOST, to: '192.168.64.1', port: 67, protocol: 'udp' },
  { from: '0.0.0.0', ...TO_HOST, to: '255.255.255.255', port: 67, protocol: 'udp' },
  // Allowed destinations.
  { ...GUEST, to: '10.100.0.1', port: 4000 },
  { ...GUEST, to: '10.96.0.10', port: 53, protocol: 'udp' },
  { ...GUEST, to: '172.16.5.1', port: 31_000 },
  // IPv6: the internet, and what finds neighbours.
  { ...GUEST6, to: '2606:4700::1111', port: 443 },
  { from: 'fe80::5', to: 'ff02::1', protocol: 'ipv6-icmp', icmpType: 'neighbrsol', ...TO_HOST },
  { from: 'fe80::5', to: 'fe80::1', protocol: 'ipv6-icmp', icmpType: 'neighbradv', ...TO_HOST },
  // The host itself: out to a guest, and wherever it likes.
  { from: '192.168.64.1', to: '192.168.64.5', port: 22, inOn: null, outOn: 'bridge100' },
  { from: '192.168.64.1', to: '192.168.64.1', port: 8080, inOn: 'lo0', outOn: null },
  { from: '203.0.113.50', to: '10.0.0.1', port: 443, inOn: null },
];

/** Deviations of the packet filter; empty if guests reach exactly what they may. */
export const breaches = ({ mac }: TestHost): string[] => [
  ...forbidden(mac)
    .filter(packet => allowed(mac, packet))
    .map(packet => `reached: ${JSON.stringify(packet)}`),
  ...free.filter(packet => !allowed(mac, packet)).map(packet => `not reached: ${JSON.stringify(packet)}`),
];

/** True if guests are filtered at all. */
export const filtered = ({ mac }: TestHost): boolean => !allowed(mac, { ...GUEST, to: '10.0.0.1', port: 443 });
