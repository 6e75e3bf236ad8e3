import { connect } from 'node:net';
import { join } from 'node:path';
import type { Duration } from '@minifleet/clock';
import { withShortPath } from '../agent-client/short-path.ts';
import type { GuestState } from '../guest.ts';
import { SOCKET } from '../record.ts';
import { encodeLine, readLines, type SupervisorMessage } from './supervisor-socket.ts';

/** The agent's side of `s.sock`. A closed link means that the supervisor has ended. */
export interface SupervisorLink {
  readonly pid: number;
  readonly state: GuestState;
  stop(grace: Duration): void;
  close(): void;
}

interface SupervisorLinkListeners {
  onState(state: GuestState): void;
  /** Not called after `close`. */
  onLost(): void;
}

/** Undefined if nothing answers: the supervisor is dead or was never started. */
export function connectSupervisor(
  directory: string,
  listeners: SupervisorLinkListeners,
): Promise<SupervisorLink | undefined> {
  return withShortPath(join(directory, SOCKET), path => openLink(path, listeners));
}

function openLink(path: string, listeners: SupervisorLinkListeners): Promise<SupervisorLink | undefined> {
  return new Promise(resolve => {
    const socket = connect(path);
    let closed = false;
    let known = false;
    const link = (pid: number, state: GuestState): SupervisorLink => ({
      pid,
      state,
      stop: grace => void socket.write(encodeLine({ stopWithinMilliseconds: grace })),
      close: () => {
        closed = true;
        socket.destroy();
      },
    });
    const read = readLines(message => {
      const { pid, state } = message as Partial<SupervisorMessage>;
      if (typeof pid !== 'number' || state === undefined) return;
      if (known) listeners.onState(state);
      else resolve(link(pid, state));
      known = true;
    });
    socket.setEncoding('utf8').on('data', read);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (!known) resolve(undefined);
      else if (!closed) listeners.onLost();
    });
  });
}
