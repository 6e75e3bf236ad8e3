import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEgress, type VmEgressSettings } from './egress-spec.ts';
import { WANT } from './testing/egress-host.ts';

const allow = (change: object): VmEgressSettings => ({
  ...WANT,
  allow: [{ to: '10.96.0.0/12', ports: '4000', protocols: ['tcp'], ...change }],
});
const blocked = (change: object): VmEgressSettings => ({ ...WANT, blocked: { ...WANT.blocked, ...change } });

test('invalid egress settings are rejected with field, value and reason', () => {
  const wrong: readonly (readonly [VmEgressSettings, RegExp])[] = [
    [{ ...WANT, guests: { v4: '192.168.64.0/40' } }, /guests\.v4 is 192\.168\.64\.0\/40, not a network/],
    [{ ...WANT, guests: { v4: '0.0.0.0/0' } }, /guests\.v4 is 0\.0\.0\.0\/0, wider than \/16/],
    [{ ...WANT, guests: { v4: 'fd00::/64' } }, /guests\.v4 is fd00::\/64, not of IPv4/],
    [{ ...WANT, guests: { v4: '192.168.64.0/22', v6: 'fc00::/7' } }, /guests\.v6 is fc00::\/7, wider than \/48/],
    [blocked({ v4: ['10.0.0.0/8', '10.0.0.1/8'] }), /blocked\.v4\[1\] is 10\.0\.0\.1\/8, .*bits set after its prefix/],
    [blocked({ v6: ['10.0.0.0/8'] }), /blocked\.v6\[0\] is 10\.0\.0\.0\/8, not of IPv6/],
    [blocked({ v4: [], v6: [] }), /blocked is empty/],
    [allow({ to: 'any' }), /allow\[0\]\.to is any, neither an address nor a network/],
    [allow({ to: '10.96.0.0/12 port 1:65535\npass' }), /allow\[0\]\.to is/],
    [allow({ to: 'fd00::1' }), /allow\[0\]\.to is fd00::1, but guests\.v6 is not set/],
    ...['0', '65536', '32767:30000', '80,443', 'ssh', '', '1:2:3', '22\n'].map(
      ports => [allow({ ports }), /allow\[0\]\.ports is .*neither a port nor a range/s] as const,
    ),
    [allow({ protocols: [] }), /allow\[0\]\.protocols is empty/],
    [allow({ protocols: ['tcp', 'icmp'] }), /allow\[0\]\.protocols is tcp icmp, must be tcp, udp or both/],
  ];
  for (const [want, message] of wrong) {
    assert.throws(() => parseEgress(want), { code: 'HOST_EGRESS_INVALID', retry: 'untilSpecChanges', message });
  }
});

test('default egress settings and exceptions of both families are valid', () => {
  const both = { ...WANT, guests: { v4: '192.168.64.0/22', v6: 'fd12:3456::/64' } };
  const to6 = { to: 'fd99::10', ports: '1:65535', protocols: ['udp'] } as const;
  const egress = parseEgress({ ...both, allow: [...WANT.allow, to6] });
  assert.deepEqual(
    egress.guests.map(({ text }) => text),
    ['192.168.64.0/22', 'fd12:3456::/64'],
  );
  assert.equal(egress.allow.length, 4);
});
