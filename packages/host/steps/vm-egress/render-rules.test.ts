import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testHost } from '../../testing/index.ts';
import { parseEgress } from './egress-spec.ts';
import { renderRules, tablesOf } from './render-rules.ts';
import { byHand, WANT, write } from './testing/egress-host.ts';

const both = { ...WANT, guests: { v4: '192.168.64.0/22', v6: 'fd12:3456::/64' } };

test('the pf tables contain blocked networks with an exemption for the guest network', () => {
  assert.deepEqual(
    [...tablesOf(parseEgress(both))],
    [
      ['vm_sources', ['192.168.64.0/22', 'fd12:3456::/64']],
      ['blocked_dst', [...WANT.blocked.v4, ...WANT.blocked.v6, '!192.168.64.0/22', '!fd12:3456::/64']],
    ],
  );
});

test('no exemption is rendered for a guest network that is not covered or is blocked', () => {
  const blockedOf = (v4: string[]) => tablesOf(parseEgress({ ...WANT, blocked: { v4, v6: [] } })).get('blocked_dst');
  assert.deepEqual(blockedOf(['10.0.0.0/8', '10.0.0.0/8']), ['10.0.0.0/8']);
  assert.deepEqual(blockedOf(['192.168.0.0/16', '192.168.64.0/22']), ['192.168.0.0/16', '192.168.64.0/22']);
});

test('allow rules come before block rules, and tables are const and not persist', () => {
  const text = renderRules(parseEgress(WANT));
  assert.ok(text.indexOf('to 10.96.0.0/12 port 4000') < text.indexOf('block drop'));
  assert.match(text, /^pass quick proto udp from <vm_sources> to 10\.96\.0\.10 port 53$/m);
  assert.match(text, /^table <vm_sources> const \{ 192\.168\.64\.0\/22 \}$/m);
  assert.doesNotMatch(text, /persist/);
  assert.ok(text.lastIndexOf('\npass') < text.indexOf('\nblock'), 'every pass goes before every block');
});

test('pf accepts the rendered rules for one and both families, with and without exceptions', async () => {
  for (const want of [WANT, both, { ...WANT, allow: [] }, { ...WANT, blocked: { v4: ['0.0.0.0/0'], v6: ['::/0'] } }]) {
    const given = testHost();
    write(given, '/tmp/rules', renderRules(parseEgress(want)));
    const { code, err } = await byHand(given, 'pfctl -nf /tmp/rules');
    assert.deepEqual({ code, err }, { code: 0, err: '' });
    assert.deepEqual(given.journal.gaps, []);
  }
});
