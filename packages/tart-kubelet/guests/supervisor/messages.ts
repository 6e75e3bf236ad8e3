/** What agent and supervisor say to each other over `s.sock`: one JSON object a line. */
import type { GuestState } from '../guest.ts';

/** Sent on connecting, and again whenever the state changes. */
export interface SupervisorNews {
  readonly pid: number;
  readonly state: GuestState;
}

/** The one order there is. Given again with less grace, the guest has less time; never more. */
export interface StopOrder {
  readonly stopWithinMilliseconds: number;
}

export const encodeLine = (message: SupervisorNews | StopOrder): string => `${JSON.stringify(message)}\n`;

const MOST_LINE = 64 * 1024;

/** Calls back with each whole line as an object; what is no JSON is passed over, and no line grows without end. */
export function readLines(onMessage: (message: Readonly<Record<string, unknown>>) => void): (text: string) => void {
  let pending = '';
  return text => {
    const lines = `${pending}${text}`.split('\n');
    pending = (lines.pop() ?? '').slice(0, MOST_LINE);
    for (const line of lines) {
      const message = parsed(line);
      if (typeof message === 'object' && message !== null) onMessage(message as Record<string, unknown>);
    }
  };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
