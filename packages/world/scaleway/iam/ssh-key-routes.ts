import type { Clock } from '@minifleet/clock';
import type { Chance } from '../../chance.ts';
import { time } from '../apple-silicon/server-json.ts';
import { invalidArgument, type JsonObject, notFound } from '../http/api-error.ts';
import { type Action, authorize } from '../http/authorize.ts';
import { type Call, flag, noContent, ok, text } from '../http/call.ts';
import { ordered, pageOf, pagingParameters } from '../http/paging.ts';
import type { Route } from '../http/route.ts';
import type { Organization } from '../model/account.ts';
import { fingerprintOf, publicKeyOf, type SshKey } from './ssh-key.ts';

const KEYS = '/iam/v1alpha1/ssh-keys';

export interface SshKeyApi {
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

export const sshKeyRoutes = (api: SshKeyApi): Route[] => [
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

function listKeys(api: SshKeyApi, { key: apiKey, query }: Call): ReturnType<typeof ok> {
  const projectId = query.get('project_id') ?? undefined;
  authorize(apiKey, 'list', 'ssh_key', projectId);
  const [name, disabled, organizationId] = [query.get('name'), query.get('disabled'), query.get('organization_id')];
  const found = [...api.keys.values()]
    .filter(key => projectId === undefined || key.projectId === projectId)
    .filter(key => organizationId === null || key.organizationId === organizationId)
    // Whether the filter wants the whole name is not recorded; it does here.
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

/** Every call makes a new key: same name or same material is no conflict here (not recorded). */
function createKey(api: SshKeyApi, { key: apiKey, body }: Call): SshKey {
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

/** A key that is gone is 404 (recorded), unlike a server. */
function findKey(api: SshKeyApi, call: Call, action: Action): SshKey {
  const key = api.keys.get(call.part('id'));
  if (!key) throw notFound('ssh_key', call.part('id'));
  authorize(call.key, action, 'ssh_key', key.projectId);
  return key;
}
