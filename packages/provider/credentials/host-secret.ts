import { names, type ScalewayAppleSiliconMachine, scalewayAppleSiliconMachine } from '@minifleet/api';
import { apiVersionOf, type ObjectKey, type OwnerReference, type Secret } from '@minifleet/kube';
import { encoded, type SecretContent, textIn } from './edit-secret.ts';
import type { HostCredentials } from './host-credentials.ts';
import { MANAGED_BY } from './managed-by.ts';

/** The keys are the older system's, so that its Secrets are read on; `rejected-password` is new. */
const KEYS = {
  user: 'ssh-username',
  password: 'sudo-password',
  hostKey: 'host-fingerprint',
  rejected: 'rejected-password',
} as const satisfies Record<keyof HostCredentials, string>;

const OURS: ReadonlySet<string> = new Set(Object.values(KEYS));

const { resource } = scalewayAppleSiliconMachine;

export interface MachineHost {
  readonly samm: Pick<ScalewayAppleSiliconMachine, 'metadata'>;
  /** The server's id. */
  readonly host: string;
}

/** The claim bears the server's id. */
export const hostOf = ({ spec }: Pick<ScalewayAppleSiliconMachine, 'spec'>): string => spec.claimRef?.name ?? '';

export const hostSecretKey = ({ metadata }: MachineHost['samm']): Required<ObjectKey> => ({
  namespace: metadata.namespace ?? '',
  name: `${metadata.name}-bootstrap`,
});

/** What a Secret says of this host; nothing when it tells of another one, or was another machine's of the same name. */
export function credentialsIn(secret: Secret | undefined, held: MachineHost): HostCredentials {
  if (!secret || !tellsOf(secret, held)) return {};
  const { user, password, hostKey, rejected } = KEYS;
  const text = (key: string): string | undefined => textIn(secret, key);
  return { user: text(user), password: text(password), hostKey: text(hostKey), rejected: text(rejected) };
}

/** What others put beside ours stays. */
export function secretFor(
  known: HostCredentials,
  { samm, host }: MachineHost,
  before: Secret | undefined,
): SecretContent {
  const { user, password, hostKey, rejected } = known;
  const others = Object.entries(before?.data ?? {}).filter(([key]) => !OURS.has(key));
  return {
    metadata: {
      labels: {
        ...MANAGED_BY,
        [names.labels.machineUID]: samm.metadata.uid ?? '',
        [names.labels.host]: host,
      },
      // It goes with the machine, and clusterctl moves it along.
      ownerReferences: [ownerFrom(samm)],
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

/** After a move the machine has another UID, and the owner was rewritten; the label was not. */
function tellsOf({ metadata }: Secret, { samm, host }: MachineHost): boolean {
  const { [names.labels.host]: told = host, [names.labels.machineUID]: madeFor } = metadata.labels ?? {};
  return told === host && (isOwn(metadata, samm) ?? (madeFor === undefined || madeFor === samm.metadata.uid));
}

/** Whether the machine owns it; undefined when no machine does, as in the older system. */
export function isOwn(
  { ownerReferences = [] }: Secret['metadata'],
  { metadata }: MachineHost['samm'],
): boolean | undefined {
  const owner = ownerReferences.find(({ kind }) => kind === resource.kind);
  return owner && owner.uid === metadata.uid;
}

const ownerFrom = ({ metadata: { name, uid = '' } }: MachineHost['samm']): OwnerReference => ({
  apiVersion: apiVersionOf(resource),
  kind: resource.kind,
  name,
  uid,
  controller: true,
});
