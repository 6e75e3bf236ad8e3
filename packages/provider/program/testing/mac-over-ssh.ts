import { HOST_IDENTITY_CHANGED, HOST_KEY_REFUSED, type HostTransport, type SshTransportOptions } from '@minifleet/host';
import { macTransport } from '@minifleet/host/testing';
import { emptyOutput } from '@minifleet/host/testing/transport';
import type { BuiltMac } from '@minifleet/world/mac';

/** State that an SSH server checks before it accepts a connection. */
export interface LetsIn {
  readonly mac: BuiltMac;
  /** `SHA256:…`, another with each installation. */
  readonly hostKey: string;
  /** Public keys that the server accepts. */
  readonly keys: () => readonly string[];
}

/** One connection: both sides check the other's key, and commands go to the Mac that is connected at that time. */
export function macOverSsh(
  { privateKey, hostKey: policy, address, user }: SshTransportOptions,
  find: () => LetsIn,
  after: () => Promise<void>,
): HostTransport {
  const at = `${user}@${address}`;
  let shown: string | undefined;
  let roundTrips = 0;
  // An OpenSSH private key has the public one in it.
  const ours = Buffer.from(
    privateKey
      .reveal()
      .toString()
      .replaceAll(/-----.*-----/g, ''),
    'base64',
  );
  const isOurs = (key: string): boolean => ours.includes(Buffer.from(key.split(' ')[1] ?? '', 'base64'));

  function refusal({ hostKey: seen, keys }: LetsIn): ReturnType<typeof HOST_KEY_REFUSED> | undefined {
    const pinned = 'pinned' in policy ? policy.pinned : shown;
    if (pinned !== undefined && pinned !== seen) return HOST_IDENTITY_CHANGED({ address: at, seen, pinned });
    shown = seen;
    return keys().some(isOurs) ? undefined : HOST_KEY_REFUSED({ address: at });
  }

  return {
    address: at,
    get hostKey() {
      return shown;
    },
    get roundTrips() {
      return roundTrips;
    },
    async run(command) {
      const host = find();
      const error = host.mac.running ? refusal(host) : undefined;
      if (error) return { kind: 'unreached', begun: false, error, ...emptyOutput() };
      roundTrips += 1;
      const outcome = await macTransport(host.mac).run(command);
      await after();
      return outcome;
    },
    close: async () => undefined,
  };
}
