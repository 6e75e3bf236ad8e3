import { names } from '@minifleet/api';
import { type Clock, minutes } from '@minifleet/clock';
import { type Client, keyOf, keyString, type Log, messageOf, secrets } from '@minifleet/kube';
import type { Vendor } from '@minifleet/vendors';
import { withApiErrorAs } from './edit-secret.ts';
import { CREDENTIALS_KEY_NOT_REGISTERED, CREDENTIALS_SECRET_UNAVAILABLE } from './errors.ts';
import type { KeptKey } from './fleet-key.ts';

export interface RegistrationDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
}

interface KeyRegistration {
  /** Ensures that the key is registered. Checked once per process, and again if a host rejects the key. */
  ensure(kept: KeptKey, vendor: Vendor, refused: boolean): Promise<void>;
}

/** Many hosts can reject one key at the same time; one check is enough for all. */
const MIN_CHECK_INTERVAL = minutes(10);

export function createKeyRegistration(parts: RegistrationDeps): KeyRegistration {
  const { clock } = parts;
  const looks = new Map<string, { readonly at: number; readonly done: Promise<void> }>();
  return {
    async ensure(kept, vendor, refused) {
      const which = `${kept.secret.metadata.uid}/${vendor.name}`;
      const last = looks.get(which);
      if (last && !(refused && clock.now() - last.at >= MIN_CHECK_INTERVAL)) return last.done;
      // Machines of a fleet start together; the second waits for the first, otherwise two keys would be registered.
      const done = look(parts, kept, vendor).then(seen => void (seen || looks.delete(which)));
      looks.set(which, { at: clock.now(), done });
      done.catch(() => looks.delete(which));
      await done;
    },
  };
}

/** True if the vendor responded. A key that was registered once is used even without a response, because hosts already have it. */
async function look(parts: RegistrationDeps, kept: KeptKey, vendor: Vendor): Promise<boolean> {
  try {
    await register(parts, kept, vendor);
    return true;
  } catch (cause) {
    const words = { secret: keyString(keyOf(kept.secret)), why: messageOf(cause) };
    if (registeredAs(kept) === undefined) throw CREDENTIALS_KEY_NOT_REGISTERED(words, { cause });
    parts.log.warn(words, 'Could not check SSH key registration');
    return false;
  }
}

async function register({ client, log }: RegistrationDeps, kept: KeptKey, vendor: Vendor): Promise<void> {
  const { secret, key } = kept;
  const { id, outcome } = await vendor.registerKey({ name: key.name, publicKey: key.publicKey });
  const name = keyString(keyOf(secret));
  if (outcome !== 'present') log.info({ secret: name, vendor: vendor.name, key: id, outcome }, 'SSH key registered');
  if (registeredAs(kept) === id) return;
  const body = { metadata: { uid: secret.metadata.uid, annotations: { [names.annotations.sshKeyID]: id } } };
  await withApiErrorAs(CREDENTIALS_SECRET_UNAVAILABLE, { secret: name }, () =>
    client.patch(secrets, keyOf(secret), { type: 'merge', body }),
  );
}

const registeredAs = ({ secret }: KeptKey): string | undefined =>
  secret.metadata.annotations?.[names.annotations.sshKeyID];
