import { CataloguedError } from '@minifleet/errors';
import { HOST_UNREACHABLE } from '../errors.ts';
import { dial, type Target } from './dial.ts';
import type { SshConnection } from './ssh-connection.ts';

/** Keeps the one connection of a host, and makes a new one when it is asked for and there is none. */
export interface Dialler {
  connected(): Promise<SshConnection | CataloguedError>;
  /** For good: what runs ends, and nothing is dialled any more. */
  close(): Promise<void>;
}

export function createDialler(target: Target): Dialler {
  const closing = new AbortController();
  let current: Promise<SshConnection | CataloguedError> | undefined;
  // A retired one lives until its last command has ended.
  let living: SshConnection[] = [];
  const dialAnew = async (): Promise<SshConnection | CataloguedError> => {
    const dialled = await dial(target, closing.signal);
    living = living.filter(({ lost }) => !lost);
    if (!(dialled instanceof CataloguedError)) living.push(dialled);
    return dialled;
  };
  const connected = async (): Promise<SshConnection | CataloguedError> => {
    if (closing.signal.aborted) return HOST_UNREACHABLE({ address: target.address, why: 'closed here' });
    current ??= dialAnew();
    const dialled = current;
    const connection = await dialled;
    const failed = connection instanceof CataloguedError;
    if (!failed && connection.usable) return connection;
    // Those who waited for a dial that failed share its fate; whoever comes next dials anew.
    if (current === dialled) current = undefined;
    return failed ? connection : connected();
  };
  return {
    connected,
    async close() {
      closing.abort();
      await current;
      await Promise.all(living.filter(({ lost }) => !lost).map(connection => connection.close()));
    },
  };
}
