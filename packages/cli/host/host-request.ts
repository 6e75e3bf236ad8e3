import type { HostAddress } from './address.ts';
import type { HostConnectOptions } from './connect-host.ts';

/** Parsed options of a command for one host. */
export interface HostRequest {
  readonly address: HostAddress;
  readonly identity?: string;
  readonly user?: string;
  readonly hostKey?: string;
  readonly acceptNewHostKey?: boolean;
  readonly file?: string;
  readonly name?: string;
  readonly passwordFile?: string;
  readonly only?: readonly string[];
  readonly json: boolean;
}

/** Account of newly delivered Macs. */
const DEFAULT_USER = 'm1';

export const userOf = ({ address, user }: HostRequest): string => address.user ?? user ?? DEFAULT_USER;

export const connectOptionsOf = (request: HostRequest): HostConnectOptions => ({
  address: request.address,
  user: userOf(request),
  identity: request.identity,
  hostKey: request.hostKey,
  acceptNewHostKey: request.acceptNewHostKey ?? false,
});
