import { names, type ScalewayAppleSiliconMachine, scalewayAppleSiliconMachine } from '@minifleet/api';
import { apiVersionOf, type KubeSecret, type ObjectKey, type OwnerReference } from '@minifleet/kube';
import { encoded, type SecretContent, textIn } from './edit-secret.ts';
import type { HostCredentials } from './host-credentials.ts';
import { MANAGED_BY } from './managed-by.ts';

/** Keys of the previous system, so that its Secrets stay readable; `rejected-password` is new. */
const KEYS = {
  user: 'ssh-username',
  password: 'sudo-password',
  hostKey: 'host-fingerprint',
  rejected: 'rejected-password',
} as const satisfies Record<keyof HostCredentials, string>;

const OURS: ReadonlySet<string> = new Set(Object.values(KEYS));

const { resource } = scalewayAppleSiliconMachine;

export interface MachineHost {
  readonly machine: Pick<ScalewayAppleSiliconMachine, 'metadata'>;
  /** Server id. */
  readonly host: string;
}

/** The name of the claim is the server id. */
export const hostOf = ({ spec }: Pick<ScalewayAppleSiliconMachine, 'spec'>): string => spec.claimRef?.name ?? '';

export const hostSecretKey = ({ metadata }: MachineHost['machine']): Required<ObjectKey> => ({
  namespace: metadata.namespace ?? '',
  name: `${metadata.name}-bootstrap`,
});

/** Reads the credentials of this host; empty if the Secret belongs to another host, or to an earlier machine with the same name. */
export function credentialsIn(secret: KubeSecret | undefined, held: MachineHost): HostCredentials {
  if (!secret || !belongsTo(secret, held)) return {};
  const { user, password, hostKey, rejected } = KEYS;
  const text = (key: string): string | undefined => textIn(secret, key);
  return { user: text(user), password: text(password), hostKey: text(hostKey), rejected: text(rejected) };
}

/** Keeps keys of other managers. */
export function secretFor(
  known: HostCredentials,
  { machine, host }: MachineHost,
  before: KubeSecret | undefined,
): SecretContent {
  const { user, password, hostKey, rejected } = known;
  const others = Object.entries(before?.data ?? {}).filter(([key]) => !OURS.has(key));
  return {
    metadata: {
      labels: {
        ...MANAGED_BY,
        [names.labels.machineUID]: machine.metadata.uid ?? '',
        [names.labels.host]: host,
      },
      // Garbage-collected with the machine, and moved with it by clusterctl.
      ownerReferences: [ownerFrom(machine)],
    },
    data: {
      ...Object.fromEntries(others),
      ...encoded({
        [KEYS.user]: user,
        [KEYS.password]: password,
        [KEYS.hostKey]: hostKey,
        [KEYS.rejected]: rejected,
      }),
    },
  };
}

/** After clusterctl move the machine has another UID. clusterctl updates the owner reference, but not the label. */
function belongsTo({ metadata }: KubeSecret, { machine, host }: MachineHost): boolean {
  const { [names.labels.host]: labelHost = host, [names.labels.machineUID]: labelUID } = metadata.labels ?? {};
  return (
    labelHost === host && (isOwn(metadata, machine) ?? (labelUID === undefined || labelUID === machine.metadata.uid))
  );
}

/** True if the machine owns the Secret; undefined if no machine does, as in the previous system. */
export function isOwn(
  { ownerReferences = [] }: KubeSecret['metadata'],
  { metadata }: MachineHost['machine'],
): boolean | undefined {
  const owner = ownerReferences.find(({ kind }) => kind === resource.kind);
  return owner && owner.uid === metadata.uid;
}

const ownerFrom = ({ metadata: { name, uid = '' } }: MachineHost['machine']): OwnerReference => ({
  apiVersion: apiVersionOf(resource),
  kind: resource.kind,
  name,
  uid,
  controller: true,
});
