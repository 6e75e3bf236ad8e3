import { InvalidArgumentError } from 'commander';

/** SSH address of a host. */
export interface HostAddress {
  readonly user: string | undefined;
  readonly host: string;
  readonly port: number;
}

const SSH = 22;

/** Parses `host`, `host:port` or `user@host:port`. An IPv6 address with a port needs brackets. */
export function parseAddress(text: string): HostAddress {
  const at = text.lastIndexOf('@');
  const user = at >= 0 ? text.slice(0, at) : undefined;
  const rest = text.slice(at + 1);
  const bare = /^[^[\]]*:[^[\]]*:/.test(rest);
  const [, bracketed, plain, port] = /^(?:\[([^[\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(bare ? `[${rest}]` : rest) ?? [];
  const host = bracketed ?? plain;
  const number = port === undefined ? SSH : Number(port);
  if (host === undefined || /\s/.test(text) || user === '' || number < 1 || number > 65_535) {
    throw new InvalidArgumentError('use host, host:port or user@host:port, for example m1@203.0.113.7:22');
  }
  return { user, host, port: number };
}

/** Renders `203.0.113.7:22`, the name of a host in the known_hosts file. */
export const hostPort = ({ host, port }: Pick<HostAddress, 'host' | 'port'>): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
