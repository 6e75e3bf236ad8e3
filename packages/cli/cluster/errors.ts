/** Errors of commands that work on a cluster. The command changed nothing. */
import { defineError } from '@minifleet/errors';

/** Install command of the README. Later commands expect the release in this namespace. */
export const INSTALL_CRDS =
  'helm upgrade --install minifleet-crds charts/minifleet-crds -n minifleet-system --create-namespace';

/** Without the kubeadm providers, which Minifleet does not use. */
export const INSTALL_CLUSTER_API = 'clusterctl init --bootstrap - --control-plane -';

export const HOST_NOT_FOUND = defineError('HOST_NOT_FOUND', {
  retry: 'operator',
  reason: 'HostNotFound',
  text: 'host {name} not found{where} (no MacHost, machine or Node has this name); see `minifleet get hosts`, and for servers without a MacHost `minifleet get hosts --unmanaged`',
});

export const MACHINE_NOT_FOUND = defineError('MACHINE_NOT_FOUND', {
  retry: 'operator',
  reason: 'MachineNotFound',
  text: 'machine {name} not found{where}; see `kubectl get samm,macm -A`',
});

export const NAME_AMBIGUOUS = defineError('NAME_AMBIGUOUS', {
  retry: 'operator',
  reason: 'NameAmbiguous',
  text: 'several {kind} are named {name} ({found}); choose one with -n',
});

export const MACHINE_WITHOUT_HOST = defineError('MACHINE_WITHOUT_HOST', {
  retry: 'operator',
  reason: 'MachineWithoutHost',
  text: '{machine}: the machine has no host ({why}); nothing was changed',
});

export const UNMANAGED_SERVERS_UNKNOWN = defineError('UNMANAGED_SERVERS_UNKNOWN', {
  retry: 'operator',
  reason: 'UnmanagedServersUnknown',
  text: 'unmanaged servers: unknown, because no ConfigMap has the label {label} (the provider writes it after its first list of the servers at Scaleway); check that the provider runs: minifleet doctor',
});

export const HOST_RELEASE_IN_PROGRESS = defineError('HOST_RELEASE_IN_PROGRESS', {
  retry: 'operator',
  reason: 'HostReleaseInProgress',
  text: '{machine}: the deletion already returns its host ({why}); the host can no longer be kept',
});

export const DETACH_TIMEOUT = defineError('DETACH_TIMEOUT', {
  retry: 'operator',
  reason: 'DetachTimeout',
  text: '{machine}: not deleted after {timeout} ({where}); the deletion continues in the cluster, run the command again to keep watching',
});

export const FLEET_NOT_FOUND = defineError('FLEET_NOT_FOUND', {
  retry: 'operator',
  reason: 'FleetNotFound',
  text: 'fleet {name} not found{where} (no machine belongs to it); existing fleets: {fleets}',
});

export const OBJECT_NOT_FOUND = defineError('OBJECT_NOT_FOUND', {
  retry: 'operator',
  reason: 'ObjectNotFound',
  text: '{kind} "{name}" not found{where}; see `{list}`',
});

export const CLUSTER_UNREACHABLE = defineError('CLUSTER_UNREACHABLE', {
  retry: 'backoff',
  reason: 'ClusterUnreachable',
  text: '{kubeconfig}: API server unreachable ({why}); check that the cluster is up and the kubeconfig is the right one: kubectl --kubeconfig {kubeconfig} cluster-info',
});

export const CREDENTIALS_REFUSED = defineError('CREDENTIALS_REFUSED', {
  retry: 'operator',
  reason: 'CredentialsRefused',
  text: '{kubeconfig}: the API server rejected the credentials (invalid or expired); get a new kubeconfig, then check it with kubectl --kubeconfig {kubeconfig} auth whoami',
});

export const PERMISSION_DENIED = defineError('PERMISSION_DENIED', {
  retry: 'operator',
  reason: 'PermissionDenied',
  text: 'permission denied in this cluster ({why}); ask the cluster administrator for it, and list your permissions with kubectl auth can-i --list',
});

export const CLUSTER_API_MISSING = defineError('CLUSTER_API_MISSING', {
  retry: 'operator',
  reason: 'ClusterApiMissing',
  text: `Cluster API is not installed in this cluster; install it with ${INSTALL_CLUSTER_API}, then run minifleet doctor`,
});

export const CRDS_MISSING = defineError('CRDS_MISSING', {
  retry: 'operator',
  reason: 'CrdsMissing',
  text: `CRDs missing in this cluster: {crds}; install them with ${INSTALL_CRDS}, then run minifleet doctor`,
});

export const CRDS_NEWER = defineError('CRDS_NEWER', {
  retry: 'operator',
  reason: 'CrdsNewer',
  text: 'this minifleet is older than the cluster, which serves {crd} only as {versions}; use the minifleet version that is installed there',
});
