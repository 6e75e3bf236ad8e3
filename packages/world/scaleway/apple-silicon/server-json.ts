import type { JsonObject } from '../http/scaleway-api-error.ts';
import { type OperatingSystem, type ServerType, stockOf } from '../model/catalogue.ts';
import { type Server, SSH_USERNAME, VNC_PORT } from '../model/server.ts';

/** RFC 3339 with microseconds, as recorded. */
export const time = (milliseconds: number): string => new Date(milliseconds).toISOString().replace('Z', '000Z');

const SEALED = '<sealed>';

interface PasswordVisibility {
  /** Responses to create, update, reboot and reinstall contain no secret (recorded for create and reboot). */
  readonly sealAll: boolean;
  readonly now: number;
  readonly passwordVisible: number;
}

/**
 * Renders a server as the API does. Some hours after the installation `sudo_password` becomes the literal `<sealed>`
 * while `vnc_url` keeps the password (facts §4). A client that uses `sudo_password` unchecked writes `<sealed>` into
 * kcpassword.
 */
export function serverJson(server: Server, { sealAll, now, passwordVisible }: PasswordVisibility): JsonObject {
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

export const serverTypeJson = (type: ServerType, defaultOs: OperatingSystem | undefined): JsonObject => ({
  cpu: {
    core_count: type.cpu.cores,
    frequency: type.cpu.frequency,
    name: type.cpu.name,
    sockets: 1,
    threads_per_core: 1,
  },
  default_os: defaultOs ? osJson(defaultOs) : null,
  disk: { capacity: type.diskBytes, type: 'SSD' },
  gpu: { count: type.gpus },
  memory: { capacity: type.memory.bytes, type: type.memory.type },
  minimum_lease_duration: '86400s',
  name: type.name,
  network: {
    default_public_bandwidth: type.bandwidths[0] ?? 0,
    public_bandwidth_bps: type.bandwidths.at(-1) ?? 0,
    supported_bandwidth: [...type.bandwidths],
  },
  npu: { count: 16 },
  stock: stockOf(type),
});

export interface SupportedType {
  readonly serverType: string;
  readonly fast: boolean;
}

/** Only lists fill `supported_server_types`. It is empty for a single image, in a server and in a server type (recorded). */
export const osJson = (os: OperatingSystem, supported: readonly SupportedType[] = []): JsonObject => ({
  compatible_server_types: [...os.serverTypes],
  description: '',
  family: os.family,
  id: os.id,
  image_url: `https://scw-apple-silicon.s3.fr-par.scw.cloud/scw-console/os/${os.name.replace(/-[\d.]+$/, '')}.png`,
  is_beta: os.beta,
  label: os.label,
  name: os.name,
  release_notes_url: '',
  supported_server_types: supported.map(({ serverType, fast }) => ({
    fast_delivery_available: fast,
    server_type: serverType,
  })),
  tags: [...os.tags],
  version: os.version,
  xcode_version: os.xcodeVersion,
});
