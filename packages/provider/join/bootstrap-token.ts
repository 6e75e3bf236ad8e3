import { createHash } from 'node:crypto';
import { type InfraMachine, names } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import {
  type IndexBy,
  type KubeSecret,
  keyOf,
  keyString,
  type ObjectKey,
  parseKey,
  type Selection,
} from '@minifleet/kube';
import { encoded, MANAGED_BY, type SecretContent, textIn } from '../credentials/edit-secret.ts';

/** The API server reads bootstrap tokens only in this namespace. */
export const TOKEN_NAMESPACE = 'kube-system';
export const TOKEN_TYPE = 'bootstrap.kubernetes.io/token';
/** RBAC grants this group only to create certificate requests, never to approve them. */
export const TOKEN_GROUP = 'system:bootstrappers:minifleet';
export const TOKENS = { namespace: TOKEN_NAMESPACE, labelSelector: names.labels.machineUID } as const;

const EXPIRATION = 'expiration';
const ID_LENGTH = 6;
const SECRET_LENGTH = 16;

/** Bootstrap token, read from its Secret. */
export interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Machine that may join with it. */
  readonly machine: ObjectKey;
  readonly machineUID: string;
  /** Server id of the host that got it. */
  readonly host: string;
}

/** The claim has the name of the host. */
export const hostOf = ({ spec }: Pick<InfraMachine, 'spec'>): string => spec.claimRef?.name ?? '';

type TokenMachine = Pick<InfraMachine, 'apiVersion' | 'kind' | 'metadata' | 'spec'>;

/** Undefined for a token that Minifleet did not create. */
export function readToken(secret: KubeSecret): BootstrapToken | undefined {
  const { labels = {}, annotations = {} } = secret.metadata;
  const machineUID = labels[names.labels.machineUID];
  const machine = annotations[names.annotations.machine];
  if (secret.type !== TOKEN_TYPE || machineUID === undefined || machine === undefined) return undefined;
  return {
    id: textIn(secret, 'token-id') ?? '',
    secret: textIn(secret, 'token-secret') ?? '',
    expiresAt: Date.parse(textIn(secret, EXPIRATION) ?? '') || 0,
    machine: parseKey(machine),
    machineUID,
    host: labels[names.labels.host] ?? '',
  };
}

/** Index of bootstrap tokens by the UID of their machine. */
export const tokenIndexes = {
  'token-machine': ({ metadata }) => {
    const uid = metadata.labels?.[names.labels.machineUID];
    return uid === undefined ? [] : [uid];
  },
} satisfies Record<string, IndexBy<KubeSecret>>;

export type TokenIndex = keyof typeof tokenIndexes;

/** True if the machine is in a namespace of another provider, which this provider cannot read. */
export const isElsewhere = ({ machine }: BootstrapToken, { namespace }: Pick<Selection, 'namespace'>): boolean =>
  namespace !== undefined && machine.namespace !== namespace;

export const tokenKey = (id: string): Required<ObjectKey> => ({
  namespace: TOKEN_NAMESPACE,
  name: `bootstrap-token-${id}`,
});

/** Derived from the machine, so that the API server accepts only one token if two providers create it. */
export const tokenIds = ({ metadata }: TokenMachine): readonly string[] =>
  [0, 1, 2, 3].map(turn => alphanumeric(createHash('sha256').update(`${metadata.uid}/${turn}`).digest(), ID_LENGTH));

export const newSecret = (random: (bytes: number) => Uint8Array): string => alphanumeric(random(32), SECRET_LENGTH);

/** Uses far more bytes than digits, so that all digits are equally likely. */
function alphanumeric(bytes: Uint8Array, length: number): string {
  const number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`) % 36n ** BigInt(length);
  return number.toString(36).padStart(length, '0');
}

export interface TokenFields {
  readonly id: string;
  readonly secret: string;
  readonly expiresAt: number;
}

export function tokenContent(machine: TokenMachine, fields: TokenFields): SecretContent {
  const machineKey = keyString(keyOf(machine));
  return {
    metadata: {
      labels: {
        ...MANAGED_BY,
        [names.labels.machineUID]: machine.metadata.uid ?? '',
        [names.labels.host]: hostOf(machine),
      },
      annotations: { [names.annotations.machine]: machineKey },
    },
    data: encoded({
      'token-id': fields.id,
      'token-secret': fields.secret,
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': TOKEN_GROUP,
      [EXPIRATION]: timestamp(fields.expiresAt),
      description: `Lets the host of machine ${machineKey} request the certificate of its Node.`,
    }),
  };
}
