import { type HostTransport, openSshTransport, type SshTransportOptions } from '@minifleet/host';

/** The baseline: every command dials a connection of its own, and ends it. */
export function oneCommandAConnection(options: SshTransportOptions): HostTransport {
  // Never dialled: it knows how the address is written.
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
