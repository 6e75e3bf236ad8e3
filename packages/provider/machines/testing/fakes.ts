import { type Clock, minutes } from '@minifleet/clock';
import type { CertificateSigningRequest } from '@minifleet/kube';
import { Secret } from '@minifleet/secret';
import type { BuilderForge } from '../../builders/builder-forge.ts';
import type { HostCredentialStore } from '../../credentials/credentials.ts';
import type { Join } from '../../join/join.ts';
import { requestOf, servingSpec } from '../../join/testing/requests.ts';

/** Credentials that are always available. */
export const fakeCredentials = (effects: string[]): HostCredentialStore => ({
  fleetKey: async () => ({ name: 'runners', publicKey: 'ssh-ed25519 AAAA', privateKey: new Secret('the key', 'key') }),
  access: async () => ({ user: 'm1', password: new Secret('the password', 'hunter2'), passwordRejected: false }),
  pin: async () => undefined,
  passwordRejected: async () => undefined,
  forget: async () => void effects.push('forget credentials'),
});

export const fakeJoin = (effects: string[], clock: Clock): Join => ({
  material: async () => ({ kubeconfig: new Secret('the kubeconfig', '{}'), expiresAt: clock.now() + minutes(30) }),
  withdraw: async () => void effects.push('withdraw token'),
  servingRequests: ({ metadata }) => [issuedTo(metadata.name)],
});

const issued = new Map<string, CertificateSigningRequest>();

/**
 * Returns the request for a serving certificate that was approved and signed. Kept for each node name, because each
 * reconcile of a machine reads it and a new one needs a key pair and a signature.
 */
function issuedTo(node: string): CertificateSigningRequest {
  const known =
    issued.get(node) ??
    requestOf(servingSpec(node, [node]), { metadata: { name: `csr-${node}` }, status: { certificate: 'eA==' } });
  issued.set(node, known);
  return known;
}

export interface FakeForge extends BuilderForge {
  now: 'online' | 'offline' | 'busy' | 'absent';
}

export function fakeForge(effects: string[] = []): FakeForge {
  const forge: FakeForge = {
    now: 'online',
    token: async () => new Secret('the runner token', 'token'),
    url: ({ ghOrg }) => `https://github.test/${ghOrg}`,
    state: async () => forge.now,
    async remove() {
      if (forge.now === 'busy') return false;
      effects.push('remove runner');
      return true;
    },
  };
  return forge;
}
