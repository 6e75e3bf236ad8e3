import type { InfraMachine } from '@minifleet/api';
import { type Clock, type Duration, minutes } from '@minifleet/clock';
import {
  againIn,
  type Cache,
  type Client,
  type Context,
  deleteExact,
  type KubeSecret,
  type ObjectKey,
  type Outcome,
  retryOnConflict,
  type Selection,
  secrets,
  settled,
} from '@minifleet/kube';
import { findMachines } from '../cluster-api/machine-indexes.ts';
import {
  type BootstrapToken,
  hostOf,
  isElsewhere,
  newSecret,
  readToken,
  TOKEN_TYPE,
  TOKENS,
  type TokenFields,
  type TokenIndex,
  tokenContent,
  tokenIds,
  tokenKey,
} from './bootstrap-token.ts';

export interface TokenKeeper {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  readonly life: Duration;
  /** Cached tokens, with `tokenIndexes`. */
  readonly tokens: Pick<Cache<KubeSecret>, 'by'>;
}

const BY_MACHINE: TokenIndex = 'token-machine';

/**
 * Returns the only token of the machine. A valid token is extended while the machine is reconciled, because it may be on its way to the host,
 * and a job takes longer than a token should live. Without reconciles the token expires. An expired token is replaced.
 * Machine and host ask in every reconcile, so a token that stays as it is comes from the cache.
 */
export function keepToken(keeper: TokenKeeper, machine: InfraMachine): Promise<TokenFields> {
  const [cached] = readable(keeper.tokens.by(BY_MACHINE, machine.metadata.uid ?? ''));
  if (cached && decideToken(cached.token, machine, keeper) === 'use') return Promise.resolve(cached.token);
  const attempt = async (): Promise<TokenFields> => {
    const [kept] = await tokensOf(keeper.client, machine);
    return kept ? keepOn(keeper, machine, kept) : create(keeper, machine);
  };
  return retryOnConflict(attempt, { orRecreated: true });
}

/** Deletes all tokens of the machine. */
export async function removeTokens(client: Client, machine: InfraMachine): Promise<void> {
  for (const { secret } of await tokensOf(client, machine)) await deleteExact(client, secrets, secret);
}

interface KeptToken {
  readonly secret: KubeSecret;
  readonly token: BootstrapToken;
}

async function tokensOf(client: Client, { metadata }: InfraMachine): Promise<readonly KeptToken[]> {
  const labelSelector = `${TOKENS.labelSelector}=${metadata.uid}`;
  return readable((await client.list(secrets, { ...TOKENS, labelSelector })).items);
}

const readable = (found: readonly KubeSecret[]): readonly KeptToken[] =>
  found.flatMap(secret => {
    const token = readToken(secret);
    return token ? [{ secret, token }] : [];
  });

type TokenDecision = 'use' | 'extend' | 'replace';

/** Replaces the token of an earlier host of the machine. */
function decideToken(
  token: BootstrapToken,
  machine: InfraMachine,
  { clock, life }: Pick<TokenKeeper, 'clock' | 'life'>,
): TokenDecision {
  const left = token.expiresAt - clock.now();
  if (left <= 0 || token.secret === '' || token.host !== hostOf(machine)) return 'replace';
  return left < life / 2 ? 'extend' : 'use';
}

async function keepOn(keeper: TokenKeeper, machine: InfraMachine, kept: KeptToken): Promise<TokenFields> {
  const { client, clock, random, life } = keeper;
  const { token, secret } = kept;
  const decision = decideToken(token, machine, keeper);
  if (decision === 'use') return token;
  const fields: TokenFields = {
    id: token.id,
    secret: decision === 'extend' ? token.secret : newSecret(random),
    expiresAt: clock.now() + life,
  };
  const content = tokenContent(machine, fields);
  await client.update(secrets, { ...secret, ...content, metadata: { ...secret.metadata, ...content.metadata } });
  return fields;
}

async function create({ client, clock, random, life }: TokenKeeper, machine: InfraMachine): Promise<TokenFields> {
  const id = await freeId(client, machine);
  const fields: TokenFields = { id, secret: newSecret(random), expiresAt: clock.now() + life };
  const content = tokenContent(machine, fields);
  const metadata = { ...content.metadata, ...tokenKey(id) };
  await client.create(secrets, { ...content, metadata, type: TOKEN_TYPE });
  return fields;
}

/** Another token may have the id (one in two billion), so the ids are checked. */
async function freeId(client: Client, machine: InfraMachine): Promise<string> {
  const ids = tokenIds(machine);
  for (const id of ids) if (!(await client.find(secrets, tokenKey(id)))) return id;
  return ids[0] ?? '';
}

/** A token of a deleted machine is harmless until then, because its request would be denied. */
const CHECK_INTERVAL = minutes(5);
const sooner = (left: Duration): Duration => (left < CHECK_INTERVAL ? left : CHECK_INTERVAL);

export interface SweepOptions extends Pick<Selection, 'namespace'> {
  /** Machine in the caches, which may contain only some of the machines. */
  readonly cachedMachine: (key: ObjectKey) => InfraMachine | undefined;
}

/**
 * Deletes a token that is expired or whose machine no longer exists, for example after its finalizer was removed by hand. Not every cluster runs
 * the token cleaner of Kubernetes.
 */
export async function sweepToken(
  { cache, client, clock, log }: Context,
  key: ObjectKey,
  options: SweepOptions,
): Promise<Outcome> {
  const secret = cache(secrets).get(key);
  const token = secret && readToken(secret);
  if (!token || isElsewhere(token, options)) return settled();
  const left = token.expiresAt - clock.now();
  const isOwner = (machine: InfraMachine | undefined): boolean => machine?.metadata.uid === token.machineUID;
  const inUse =
    left > 0 &&
    (isOwner(options.cachedMachine(token.machine)) || (await findMachines(client, token.machine)).some(isOwner));
  if (inUse) return againIn(sooner(left as Duration), 'the token is in use');
  // A token that was extended since it was read is in use again; its update wakes this controller.
  if (!(await deleteExact(client, secrets, secret, { unchanged: true }))) return settled();
  log.info(
    { token: token.id, machine: token.machine },
    left > 0 ? 'Bootstrap token without machine removed' : 'Expired bootstrap token removed',
  );
  return settled();
}
