import { createHash } from 'node:crypto';
import { names, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import { keyOf, keyString, type ObjectKey, parseKey, type Secret, type Selection } from '@minifleet/kube';
import { encoded, type SecretContent, textIn } from '../credentials/edit-secret.ts';
import { hostOf } from '../credentials/host-secret.ts';
import { MANAGED_BY } from '../credentials/managed-by.ts';

/** Where the API server looks for tokens, and nowhere else. */
export const TOKEN_NAMESPACE = 'kube-system';
export const TOKEN_TYPE = 'bootstrap.kubernetes.io/token';
/** What RBAC may let our tokens do is bound to this group: asking for a certificate, never approving one. */
export const TOKEN_GROUP = 'system:bootstrappers:minifleet';
export const TOKENS = { namespace: TOKEN_NAMESPACE, labelSelector: names.labels.machineUID } as const;

const EXPIRATION = 'expiration';
const ID_LENGTH = 6;
const SECRET_LENGTH = 16;

/** A token as its Secret says it. */
export interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Whom it lets join. */
  readonly machine: ObjectKey;
  readonly machineUID: string;
  /** The server it was given to. */
  readonly host: string;
}

type TokenMachine = Pick<ScalewayAppleSiliconMachine, 'apiVersion' | 'kind' | 'metadata' | 'spec'>;

/** Undefined for a token that is not ours. */
export function readToken(secret: Secret): BootstrapToken | undefined {
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

/** Of a machine in a namespace that another provider looks after, where we may not even look. */
export const isElsewhere = ({ machine }: BootstrapToken, { namespace }: Pick<Selection, 'namespace'>): boolean =>
  namespace !== undefined && machine.namespace !== namespace;

export const tokenKey = (id: string): Required<ObjectKey> => ({
  namespace: TOKEN_NAMESPACE,
  name: `bootstrap-token-${id}`,
});

/** Ids follow from the machine, so that of two providers who make its token at once the API server lets one win. */
export const tokenIds = ({ metadata }: TokenMachine): readonly string[] =>
  [0, 1, 2, 3].map(turn => alphanumeric(createHash('sha256').update(`${metadata.uid}/${turn}`).digest(), ID_LENGTH));

export const newSecret = (random: (bytes: number) => Uint8Array): string => alphanumeric(random(32), SECRET_LENGTH);

/** Far more bytes than digits: every digit is as likely as every other. */
function alphanumeric(bytes: Uint8Array, length: number): string {
  const number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`) % 36n ** BigInt(length);
  return number.toString(36).padStart(length, '0');
}

export interface TokenFields {
  readonly id: string;
  readonly secret: string;
  readonly expiresAt: number;
}

export function tokenContent(samm: TokenMachine, fields: TokenFields): SecretContent {
  const machine = keyString(keyOf(samm));
  return {
    metadata: {
      labels: {
        ...MANAGED_BY,
        [names.labels.machineUID]: samm.metadata.uid ?? '',
        [names.labels.host]: hostOf(samm),
      },
      annotations: { [names.annotations.machine]: machine },
    },
    data: encoded({
      'token-id': fields.id,
      'token-secret': fields.secret,
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': TOKEN_GROUP,
      [EXPIRATION]: timestamp(fields.expiresAt),
      description: `Lets the host of machine ${machine} request the certificate of its Node.`,
    }),
  };
}
