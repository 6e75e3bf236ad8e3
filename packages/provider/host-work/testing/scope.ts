import type { ScalewayAppleSiliconMachine } from '@minifleet/api';
import { PASSWORD } from '@minifleet/host/testing';
import { Secret } from '@minifleet/secret';
import { memoryServer } from '@minifleet/vendors/testing';
import type { Found, MachineScope } from '../../machines/scope.ts';

/** A machine's scope with everything that earlier phases find out. */
export function scopeOf(samm: ScalewayAppleSiliconMachine, found: Found = {}): MachineScope {
  return {
    samm,
    machine: undefined,
    cluster: undefined,
    claim: undefined,
    node: undefined,
    twins: [],
    found: {
      server: memoryServer(1),
      fleetKey: {
        name: 'runners',
        publicKey: 'ssh-ed25519 AAAA',
        privateKey: new Secret('fleet key', 'a private key'),
      },
      access: { user: 'm1', password: new Secret('password', PASSWORD), passwordRejected: false },
      ...found,
    },
  };
}
