import assert from 'node:assert/strict';
import { test } from 'node:test';
import { disturbanceFor, type Occupancy } from './disturbance.ts';

const all = { allow: 'running VMs', reboot: 'when needed' };
const little = { allow: 'new VMs', reboot: 'never' };

const rows: readonly (readonly [string, Occupancy, object])[] = [
  ['a host that never served may be disturbed', { bootstrapped: false, guests: 0, takesGuests: true }, all],
  ['a guest is never disturbed', { bootstrapped: true, guests: 1, takesGuests: true }, little],
  ['a guest on a cordoned Node is not disturbed either', { bootstrapped: true, guests: 1, takesGuests: false }, little],
  ['an empty Node may get a guest at any moment', { bootstrapped: true, guests: 0, takesGuests: true }, little],
  ['an empty cordoned Node may be disturbed', { bootstrapped: true, guests: 0, takesGuests: false }, all],
];

for (const [name, occupancy, expected] of rows) {
  test(name, () => assert.deepEqual(disturbanceFor(occupancy), expected));
}
