import { type HostTransport, openSshTransport, type SshTransportOptions } from '@minifleet/host';

/** The baseline: opens and closes one connection per command. */
export function oneCommandAConnection(options: SshTransportOptions): HostTransport {
  // Never connected; used only to format the address.
  const { address } = openSshTransport(options);
  let hostKey: string | undefined;
  let roundTrips = 0;
  return {
    address,
    get hostKey() {
      return hostKey;
    },
    get roundTrips() {
      return roundTrips;
    },
    async run(command) {
      const transport = openSshTransport(options);
      try {
        return await transport.run(command);
      } finally {
        hostKey = transport.hostKey;
        roundTrips += transport.roundTrips;
        await transport.close();
      }
    },
    close: async () => undefined,
  };
}
