import type { JsonObject } from '../http/api-error.ts';
import { type Server, SSH_USERNAME, VNC_PORT } from '../model/server.ts';
import { osJson } from './os-json.ts';

/** RFC 3339 with microseconds, as recorded. */
export const time = (milliseconds: number): string => new Date(milliseconds).toISOString().replace('Z', '000Z');

const SEALED = '<sealed>';

export interface Secrecy {
  /** The answer to a create, update, reboot or reinstall shows no secret at all (recorded for create and reboot). */
  readonly sealAll: boolean;
  readonly now: number;
  readonly passwordVisible: number;
}

/**
 * A server as the API shows it. `sudo_password` turns into the literal `<sealed>` some hours after the installation while
 * `vnc_url` keeps the password (facts §4): whoever takes `sudo_password` as it is writes `<sealed>` into kcpassword.
 */
export function serverJson(server: Server, { sealAll, now, passwordVisible }: Secrecy): JsonObject {
  const visible = now - server.passwordSetAt < passwordVisible;
  const vncUrl = `vnc://${SSH_USERNAME}:${encodeURIComponent(server.password)}@${server.ip}:${VNC_PORT}`;
  return {
    applied_runner_configuration_ids: [],
    commitment: { cancelled: server.commitment.cancelled, type: server.commitment.type },
    created_at: time(server.createdAt),
    deletable_at: time(server.deletableAt),
    deletion_scheduled: server.deletionScheduled,
    delivered: server.delivered,
    id: server.id,
    ip: server.ip,
    name: server.name,
    organization_id: server.organizationId,
    os: osJson(server.os),
    project_id: server.projectId,
    public_bandwidth_bps: server.bandwidth,
    runner_configuration: null,
    ssh_username: SSH_USERNAME,
    status: server.status,
    sudo_password: sealAll || !visible ? SEALED : server.password,
    tags: [],
    type: server.type,
    updated_at: time(server.updatedAt),
    vnc_port: VNC_PORT,
    vnc_url: sealAll ? SEALED : vncUrl,
    vpc_status: 'vpc_disabled',
    zone: server.zone,
  };
}
