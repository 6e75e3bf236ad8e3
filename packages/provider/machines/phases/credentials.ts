import type { machineConditions, ReasonOf, ScalewayAppleSiliconMachine } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { HOST_KEY_REFUSED } from '@minifleet/host';
import { keyString } from '@minifleet/kube';
import type { HostAccess } from '../../credentials/credentials.ts';
import { hostSecretKey } from '../../credentials/host-secret.ts';
import { isBootstrapped } from '../../host-work/decide-host-work.ts';
import { hasServed } from '../../host-work/has-served.ts';
import { isJoined } from '../../host-work/look-at-situation.ts';
import type { MachineParts } from '../parts.ts';
import { type PhaseEnd, passed, phase, waiting } from '../phase.ts';
import type { MachineScope } from '../scope.ts';

type End = PhaseEnd<ReasonOf<typeof machineConditions, 'CredentialsReady'>>;

// A Secret that a person corrects is not watched, and neither is the vendor.
const LOOK_AGAIN = minutes(5);

/** Key and password, without which nothing is begun on a host: a run that fails for want of them counts against the host. */
export const credentialsReady = phase('CredentialsReady', async (scope, parts): Promise<End> => {
  const { samm, found } = scope;
  const { server } = found;
  if (!server) throw new Error('CredentialsReady runs after HostClaimed');
  found.fleetKey = await parts.credentials.fleetKey(samm, { refused: wasKeyRefused(samm, parts) });
  found.access = await parts.credentials.hostAccess(samm, server);
  const vendor = await parts.vendors.for(server.zone);
  return judgeAccess(found.access, { samm, sudoIsSetUp: isSetUp(scope) || !vendor.can.reinstall });
});

/** Whoever did the first run left sudo without a password; and a Mac that nobody installs for us was prepared by hand. */
const isSetUp = (scope: MachineScope): boolean =>
  isBootstrapped({
    plan: scope.samm.status?.plan ?? {},
    joined: isJoined(scope),
    served: hasServed(scope.samm),
  });

export function judgeAccess(
  { password, passwordRejected }: HostAccess,
  {
    samm,
    sudoIsSetUp,
  }: { readonly samm: Pick<ScalewayAppleSiliconMachine, 'metadata'>; readonly sudoIsSetUp: boolean },
): End {
  const place = `the key sudo-password of the Secret ${keyString(hostSecretKey(samm))}`;
  if (passwordRejected) {
    const words = `the host rejected the password and the provider does not try it again; write the correct one to ${place}`;
    return sudoIsSetUp ? passed('CredentialsReady', words) : waiting('PasswordRejected', words, LOOK_AGAIN);
  }
  if (password || sudoIsSetUp) return passed('CredentialsReady');
  const words = `the vendor returns no host password; write it to ${place}, or reinstall the host`;
  return waiting('PasswordMissing', words, LOOK_AGAIN);
}

/** Whether the last run never got in: then the vendor may have lost the key. */
function wasKeyRefused({ metadata }: ScalewayAppleSiliconMachine, { work }: MachineParts): boolean {
  const state = work.of(metadata.uid ?? '')?.state;
  return (
    state?.kind === 'failed' && state.error instanceof CataloguedError && state.error.code === HOST_KEY_REFUSED.code
  );
}
