import {
  type CommandOutcome,
  HOST_CONNECTION_LOST,
  type HostTransport,
  type SshTransportOptions,
} from '@minifleet/host';
import type { Life } from './life.ts';

/** Hosts as one process of the provider reaches them: each job has a connection of its own. */
export function hostHands(
  open: (options: SshTransportOptions) => HostTransport,
  life: Life,
): (options: SshTransportOptions) => HostTransport {
  let jobs = 0;
  return options => {
    const transport = open(options);
    const job = ++jobs;
    let commands = 0;
    const error = HOST_CONNECTION_LOST({ address: transport.address, why: 'made to fail' });
    const lost = async (begun: boolean): Promise<CommandOutcome> => ({
      ...{ kind: 'unreached', begun, error, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) },
    });
    return {
      address: transport.address,
      get hostKey() {
        return transport.hostKey;
      },
      get roundTrips() {
        return transport.roundTrips;
      },
      run: command =>
        life.act({ kind: 'host', name: `command ${++commands} of job ${job}` }, () => transport.run(command), {
          refused: () => lost(false),
          lost: () => lost(true),
        }),
      close: () => life.read(() => transport.close()),
    };
  };
}
