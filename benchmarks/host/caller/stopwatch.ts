import type { HostTransport } from '@minifleet/host';

/** A transport, and for how many seconds since then nothing was under way on it: what is waited for is macOS. */
export interface TransportStopwatch {
  readonly transport: HostTransport;
  waited(): number;
}

export function stopwatch(transport: HostTransport): TransportStopwatch {
  let underWay = 0;
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
        if (underWay++ === 0) idle += performance.now() - idleSince;
        try {
          return await transport.run(command);
        } finally {
          if (--underWay === 0) idleSince = performance.now();
        }
      },
      close: () => transport.close(),
    },
  };
}
