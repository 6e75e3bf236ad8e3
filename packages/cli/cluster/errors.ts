/** What keeps the command line from doing what it was asked for in a cluster. Nothing was changed. */
import { defineError } from '@minifleet/errors';

/** As the README has it; the release is looked for in that namespace later. */
export const INSTALL_KINDS =
  'helm upgrade --install minifleet-crds charts/minifleet-crds -n minifleet-system --create-namespace';

export const HOST_NOT_FOUND = defineError('HOST_NOT_FOUND', {
  retry: 'operator',
  reason: 'HostNotFound',
  text: 'no HostClaim, machine or Node is called {name}{where}; see `kubectl get hclaim,samm -A`, or write the server id of the host',
});

export const MACHINE_NOT_FOUND = defineError('MACHINE_NOT_FOUND', {
  retry: 'operator',
  reason: 'MachineNotFound',
  text: 'no machine is called {name}{where}; see `kubectl get samm -A`',
});

export const NAME_AMBIGUOUS = defineError('NAME_AMBIGUOUS', {
  retry: 'operator',
  reason: 'NameAmbiguous',
  text: 'several {kind} are called {name}: {found}; say which with -n',
});

export const MACHINE_WITHOUT_HOST = defineError('MACHINE_WITHOUT_HOST', {
  retry: 'operator',
  reason: 'MachineWithoutHost',
  text: '{machine} holds no host ({why}); there is nothing to keep or to put aside, so nothing was done',
});

export const HOST_NOT_CLAIMED_YET = defineError('HOST_NOT_CLAIMED_YET', {
  retry: 'operator',
  reason: 'HostNotClaimedYet',
  text: '{machine} names the host {host} and has no claim on it yet: put aside now it would be taken from it; run this again once `kubectl get hclaim {host}` finds it, nothing was done',
});

export const HOST_GOES_BACK_ALREADY = defineError('HOST_GOES_BACK_ALREADY', {
  retry: 'operator',
  reason: 'HostGoesBackAlready',
  text: '{machine} is being deleted and gives its host back ({why}); it is too late to keep it',
});

export const DETACH_NOT_OVER = defineError('DETACH_NOT_OVER', {
  retry: 'operator',
  reason: 'DetachNotOver',
  text: '{machine} is not gone after {timeout} ({where}); it goes on without this command, run it again to go on watching',
});

export const FLEET_NOT_FOUND = defineError('FLEET_NOT_FOUND', {
  retry: 'operator',
  reason: 'FleetNotFound',
  text: 'no machine is of a fleet {name}{where}; there are {fleets}',
});

export const OBJECT_NOT_FOUND = defineError('OBJECT_NOT_FOUND', {
  retry: 'operator',
  reason: 'ObjectNotFound',
  text: 'there is none called {name} among the {kind}{where}; see `{list}`',
});

export const CLUSTER_UNREACHABLE = defineError('CLUSTER_UNREACHABLE', {
  retry: 'backoff',
  reason: 'ClusterUnreachable',
  text: 'the cluster in {kubeconfig} cannot be reached ({why}); see whether it is up and the right one: kubectl --kubeconfig {kubeconfig} cluster-info',
});

export const CREDENTIALS_REFUSED = defineError('CREDENTIALS_REFUSED', {
  retry: 'operator',
  reason: 'CredentialsRefused',
  text: 'the cluster does not know who you are: the credentials in {kubeconfig} are wrong or have expired; get new ones where you got that file, then try kubectl --kubeconfig {kubeconfig} auth whoami',
});

export const RIGHTS_MISSING = defineError('RIGHTS_MISSING', {
  retry: 'operator',
  reason: 'RightsMissing',
  text: 'you lack a right in this cluster ({why}); ask its administrator for it, and see what you have with kubectl auth can-i --list',
});

export const CLUSTER_API_MISSING = defineError('CLUSTER_API_MISSING', {
  retry: 'operator',
  reason: 'ClusterApiMissing',
  text: 'Cluster API is not installed in this cluster; install it with clusterctl init, then run minifleet doctor',
});

export const KINDS_MISSING = defineError('KINDS_MISSING', {
  retry: 'operator',
  reason: 'KindsMissing',
  text: `this cluster does not have {kinds}; install the kinds with ${INSTALL_KINDS}, then run minifleet doctor`,
});

export const KINDS_NEWER = defineError('KINDS_NEWER', {
  retry: 'operator',
  reason: 'KindsNewer',
  text: 'this minifleet is older than the cluster, which serves {kind} as {versions} only; use the minifleet of the version that is installed there',
});
