import { isDeepStrictEqual } from 'node:util';
import type { ScalewayAppleSiliconMachine } from '@minifleet/api';
import { deleteExact, type KubeSecret, keyString, secrets } from '@minifleet/kube';
import type { Vendors } from '../claims/vendors.ts';
import type { MachineCredentials } from './credentials.ts';
import { editSecret, type SecretContent } from './edit-secret.ts';
import { CREDENTIALS_SECRET_UNAVAILABLE } from './errors.ts';
import { type KeyMaker, keptKey } from './fleet-key.ts';
import { accessFrom, type HostCredentials, mergeFromVendor, withRejected } from './host-credentials.ts';
import { credentialsIn, hostOf, hostSecretKey, isOwn, type MachineHost, secretFor } from './host-secret.ts';
import { createKeyRegistration, type RegistrationDeps } from './key-registration.ts';
import { withApiErrorAs } from './with-api-error-as.ts';

export interface CredentialsOptions extends KeyMaker, RegistrationDeps {
  readonly vendors: Vendors;
}

export function createCredentials(options: CredentialsOptions): MachineCredentials {
  const { client, vendors } = options;
  const registration = createKeyRegistration(options);

  const asking = <T>(samm: ScalewayAppleSiliconMachine, ask: () => Promise<T>): Promise<T> =>
    withApiErrorAs(CREDENTIALS_SECRET_UNAVAILABLE, { secret: keyString(hostSecretKey(samm)) }, ask);

  /** Writes only changes; recreates a Secret that was deleted by hand. */
  const edit = (
    held: MachineHost & { readonly samm: ScalewayAppleSiliconMachine },
    change: (known: HostCredentials) => HostCredentials,
  ): Promise<HostCredentials> =>
    asking(held.samm, async () => {
      const secret = await editSecret(client, hostSecretKey(held.samm), before => {
        const wanted = secretFor(change(credentialsIn(before, held)), held, before);
        return before && isSame(before, wanted) ? undefined : wanted;
      });
      return credentialsIn(secret, held);
    });

  return {
    async fleetKey(samm, { refused = false } = {}) {
      const kept = await keptKey(options, samm);
      await registration.ensure(kept, await vendors.for(samm.spec.zone), refused);
      return kept.key;
    },
    async hostAccess(samm, server) {
      const known = await edit({ samm, host: server.id }, before => mergeFromVendor(before, server));
      return accessFrom(known, samm.metadata.name);
    },
    async pin(samm, hostKey) {
      await edit({ samm, host: hostOf(samm) }, before => (before.hostKey ? before : { ...before, hostKey }));
    },
    async passwordRejected(samm, tried) {
      const password = tried.reveal().toString('utf8');
      await edit({ samm, host: hostOf(samm) }, before => withRejected(before, password));
    },
    forget: samm =>
      asking(samm, async () => {
        const secret = await client.find(secrets, hostSecretKey(samm));
        // A recreated machine with the same name has its own Secret by now.
        if (!secret || isOwn(secret.metadata, samm) === false) return;
        await deleteExact(client, secrets, secret);
      }),
  };
}

function isSame({ data, metadata }: KubeSecret, wanted: SecretContent): boolean {
  const labels = Object.entries(wanted.metadata.labels ?? {});
  return (
    isDeepStrictEqual(data ?? {}, wanted.data) &&
    isDeepStrictEqual(metadata.ownerReferences, wanted.metadata.ownerReferences) &&
    labels.every(([name, value]) => metadata.labels?.[name] === value)
  );
}
