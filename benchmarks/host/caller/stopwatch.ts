import type { HostTransport } from '@minifleet/host';

/** A transport with the seconds during which no command ran on it, which are waits for macOS. */
export interface TransportStopwatch {
  readonly transport: HostTransport;
  waited(): number;
}

export function stopwatch(transport: HostTransport): TransportStopwatch {
  let running = 0;
  let idleSince = performance.now();
  let idle = 0;
  return {
    waited: () => idle / 1_000,
    transport: {
      address: transport.address,
      get hostKey() {
        return transport.hostKey;
      },
      get roundTrips() {
        return transport.roundTrips;
      },
      async run(command) {
        if (running++ === 0) idle += performance.now() - idleSince;
        try {
          return await transport.run(command);
        } finally {
          if (--running === 0) idleSince = performance.now();
        }
      },
      close: () => transport.close(),
    },
  };
}
