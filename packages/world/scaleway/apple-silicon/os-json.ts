import type { JsonObject } from '../http/api-error.ts';
import type { OperatingSystem } from '../model/operating-system.ts';

export interface SupportedType {
  readonly serverType: string;
  readonly fast: boolean;
}

/** `supported_server_types` is filled in lists only: alone, in a server and in a server type it is empty (recorded). */
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
