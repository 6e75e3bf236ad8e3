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

  const asking = <T>(machine: ScalewayAppleSiliconMachine, ask: () => Promise<T>): Promise<T> =>
    withApiErrorAs(CREDENTIALS_SECRET_UNAVAILABLE, { secret: keyString(hostSecretKey(machine)) }, ask);

  /** Writes only changes; recreates a Secret that was deleted by hand. */
  const edit = (
    held: MachineHost & { readonly machine: ScalewayAppleSiliconMachine },
    change: (known: HostCredentials) => HostCredentials,
  ): Promise<HostCredentials> =>
    asking(held.machine, async () => {
      const secret = await editSecret(client, hostSecretKey(held.machine), before => {
        const wanted = secretFor(change(credentialsIn(before, held)), held, before);
        return before && isSame(before, wanted) ? undefined : wanted;
      });
      return credentialsIn(secret, held);
    });

  return {
    async fleetKey(machine, { refused = false } = {}) {
      const kept = await keptKey(options, machine);
      await registration.ensure(kept, await vendors.for(machine.spec.zone), refused);
      return kept.key;
    },
    async hostAccess(machine, server) {
      const known = await edit({ machine, host: server.id }, before => mergeFromVendor(before, server));
      return accessFrom(known, machine.metadata.name);
    },
    async pin(machine, hostKey) {
      await edit({ machine, host: hostOf(machine) }, before => (before.hostKey ? before : { ...before, hostKey }));
    },
    async passwordRejected(machine, tried) {
      const password = tried.reveal().toString('utf8');
      await edit({ machine, host: hostOf(machine) }, before => withRejected(before, password));
    },
    forget: machine =>
      asking(machine, async () => {
        const secret = await client.find(secrets, hostSecretKey(machine));
        // A recreated machine with the same name has its own Secret by now.
        if (!secret || isOwn(secret.metadata, machine) === false) return;
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
