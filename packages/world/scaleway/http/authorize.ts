import type { ApiKey, PermissionSet } from '../model/account.ts';
import { permissionsDenied } from './api-error.ts';

export type Resource = 'server' | 'ssh_key';
export type Action = 'list' | 'read' | 'create' | 'write' | 'delete';

const readers: Readonly<Record<Resource, readonly PermissionSet[]>> = {
  server: ['AppleSiliconReadOnly', 'AppleSiliconFullAccess'],
  ssh_key: ['SSHKeysReadOnly', 'SSHKeysFullAccess'],
};
const writers: Readonly<Record<Resource, readonly PermissionSet[]>> = {
  server: ['AppleSiliconFullAccess'],
  ssh_key: ['SSHKeysFullAccess'],
};

/**
 * Refuses what the policy of the key does not cover. A policy of one project covers no call that names no project: the
 * vendor tightened this one day and `list ssh_key` began to fail (S3). That servers follow the same rule is derived.
 */
export function authorize(key: ApiKey, action: Action, resource: Resource, projectId: string | undefined): void {
  const sets = action === 'list' || action === 'read' ? readers[resource] : writers[resource];
  const covered = key.projectId === undefined || key.projectId === projectId;
  if (!covered || !key.permissions.some(set => sets.includes(set))) throw permissionsDenied(action, resource);
}
