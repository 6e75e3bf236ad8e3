import {
  type CommandOutcome,
  HOST_CONNECTION_LOST,
  type HostTransport,
  type SshTransportOptions,
} from '@minifleet/host';
import type { ProgramRun } from './program-run.ts';

/** SSH transports of one provider process that inject faults at commands. Each job opens its own connection. */
export function interceptHosts(
  open: (options: SshTransportOptions) => HostTransport,
  run: ProgramRun,
): (options: SshTransportOptions) => HostTransport {
  let jobs = 0;
  return options => {
    const transport = open(options);
    const job = ++jobs;
    let commands = 0;
    const error = HOST_CONNECTION_LOST({ address: transport.address, why: 'injected fault' });
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
        run.act({ kind: 'host', name: `command ${++commands} of job ${job}` }, () => transport.run(command), {
          rejected: () => lost(false),
          responseLost: () => lost(true),
        }),
      close: () => run.read(() => transport.close()),
    };
  };
}
