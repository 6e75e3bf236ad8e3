import { createHash } from 'node:crypto';
import type { Clock } from '@minifleet/clock';
import type { Chance } from '../../chance.ts';
import { time } from '../apple-silicon/server-json.ts';
import {
  authorize,
  flag,
  type IamAction,
  noContent,
  ok,
  type ScalewayCall,
  type ScalewayRoute,
  text,
} from '../http/call.ts';
import { ordered, pageOf, pagingParameters } from '../http/reply.ts';
import { invalidArgument, type JsonObject, notFound } from '../http/scaleway-api-error.ts';
import type { Organization } from '../model/account.ts';

const KEYS = '/iam/v1alpha1/ssh-keys';

interface SshKeyApi {
  readonly keys: Map<string, SshKey>;
  readonly organization: Organization;
  readonly clock: Clock;
  readonly chance: Chance;
}

const keyJson = (key: SshKey): JsonObject => ({
  id: key.id,
  name: key.name,
  public_key: key.publicKey,
  fingerprint: key.fingerprint,
  created_at: time(key.createdAt),
  updated_at: time(key.updatedAt),
  organization_id: key.organizationId,
  project_id: key.projectId,
  disabled: key.disabled,
});

export const sshKeyRoutes = (api: SshKeyApi): ScalewayRoute[] => [
  {
    method: 'GET',
    path: KEYS,
    query: [...pagingParameters, 'order_by', 'organization_id', 'name', 'project_id', 'disabled'],
    run: call => listKeys(api, call),
  },
  {
    method: 'POST',
    path: KEYS,
    fields: ['name', 'public_key', 'project_id'],
    run: call => ok(keyJson(createKey(api, call))),
  },
  { method: 'GET', path: `${KEYS}/:id`, run: call => ok(keyJson(findKey(api, call, 'read'))) },
  {
    method: 'PATCH',
    path: `${KEYS}/:id`,
    fields: ['name', 'disabled'],
    run(call) {
      const key = findKey(api, call, 'write');
      const changed = {
        ...key,
        name: text(call.body, 'name') ?? key.name,
        disabled: flag(call.body, 'disabled') ?? key.disabled,
        updatedAt: api.clock.now(),
      };
      api.keys.set(key.id, changed);
      return ok(keyJson(changed));
    },
  },
  {
    method: 'DELETE',
    path: `${KEYS}/:id`,
    run(call) {
      api.keys.delete(findKey(api, call, 'delete').id);
      return noContent;
    },
  },
];

function listKeys(api: SshKeyApi, { key: apiKey, query }: ScalewayCall): ReturnType<typeof ok> {
  const projectId = query.get('project_id') ?? undefined;
  authorize(apiKey, 'list', 'ssh_key', projectId);
  const [name, disabled, organizationId] = [query.get('name'), query.get('disabled'), query.get('organization_id')];
  const found = [...api.keys.values()]
    .filter(key => projectId === undefined || key.projectId === projectId)
    .filter(key => organizationId === null || key.organizationId === organizationId)
    // Whether the real filter compares the whole name is not recorded; this one does.
    .filter(key => name === null || key.name === name)
    .filter(key => disabled === null || String(key.disabled) === disabled);
  const orders = {
    created_at: (key: SshKey) => key.createdAt,
    updated_at: (key: SshKey) => key.updatedAt,
    name: (key: SshKey) => key.name,
  };
  const page = pageOf(ordered(found, query, orders), query);
  return ok({ ssh_keys: page.items.map(keyJson), total_count: page.totalCount });
}

/** Creates a new key for every call. The same name or key material is no conflict here (not recorded). */
function createKey(api: SshKeyApi, { key: apiKey, body }: ScalewayCall): SshKey {
  const projectId = text(body, 'project_id');
  authorize(apiKey, 'create', 'ssh_key', projectId);
  const project =
    api.organization.projects.find(candidate => candidate.id === projectId) ?? api.organization.projects[0];
  if (!project) throw notFound('project', projectId ?? '');
  const parsed = publicKeyOf(text(body, 'public_key') ?? '');
  if (!parsed) throw invalidArgument('public_key', 'format', 'not a supported public key');
  const now = api.clock.now();
  const key = {
    id: api.chance.uuid(),
    name: text(body, 'name') ?? '',
    publicKey: `${parsed.type} ${parsed.blob}`,
    fingerprint: fingerprintOf(parsed),
    projectId: project.id,
    organizationId: api.organization.id,
    disabled: false,
    createdAt: now,
    updatedAt: now,
  };
  api.keys.set(key.id, key);
  return key;
}

/** A deleted key returns 404 (recorded), unlike a server. */
function findKey(api: SshKeyApi, call: ScalewayCall, action: IamAction): SshKey {
  const key = api.keys.get(call.part('id'));
  if (!key) throw notFound('ssh_key', call.part('id'));
  authorize(call.key, action, 'ssh_key', key.projectId);
  return key;
}

export interface SshKey {
  readonly id: string;
  /** Not unique: two keys may share it, with different material (incident of 2026-04-29, facts §17). */
  readonly name: string;
  /** Type and blob. The API drops the comment (recorded 2025-11-17). */
  readonly publicKey: string;
  readonly fingerprint: string;
  readonly projectId: string;
  readonly organizationId: string;
  readonly disabled: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const TYPES = /^(ssh-rsa|ssh-dss|ssh-ed25519|ecdsa-sha2-nistp(256|384|521))$/;

/** Parses type and blob of a public key line; undefined for an invalid line. */
function publicKeyOf(line: string): { type: string; blob: string } | undefined {
  const [type = '', blob = ''] = line.trim().split(/\s+/);
  if (!TYPES.test(type) || !/^[A-Za-z0-9+/]+=*$/.test(blob)) return undefined;
  // The blob starts with its own type, which detects truncated and mixed-up keys.
  const bytes = Buffer.from(blob, 'base64');
  const length = bytes.length > 4 ? bytes.readUInt32BE(0) : 0;
  return bytes.toString('latin1', 4, 4 + length) === type ? { type, blob } : undefined;
}

/** `256 MD5:6b:cd:… (ssh-ed25519)`, as recorded. The size is exact for Ed25519 and ECDSA only. */
function fingerprintOf({ type, blob }: { readonly type: string; readonly blob: string }): string {
  const digest = createHash('md5').update(Buffer.from(blob, 'base64')).digest('hex');
  return `${bits(type)} MD5:${digest.match(/../g)?.join(':') ?? ''} (${type})`;
}

const bits = (type: string): number => Number(/nistp(\d+)/.exec(type)?.[1] ?? (type === 'ssh-ed25519' ? 256 : 2048));
