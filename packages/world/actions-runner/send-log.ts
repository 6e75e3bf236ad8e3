import type { Door } from './door.ts';

/** A step's output on its way to the job's log: in order, and never the reason a job fails. */
export interface SendLog {
  add(text: string): void;
  /** When all that was added has been sent. */
  sent(): Promise<void>;
}

export function sendLog(door: Door): SendLog {
  let last = Promise.resolve();
  let waiting = '';
  const send = async (): Promise<void> => {
    const text = waiting;
    waiting = '';
    if (text !== '') await door.ask('POST', 'log', { body: { text } }).catch(() => undefined);
  };
  return {
    add(text) {
      waiting += text;
      last = last.then(send);
    },
    sent: () => last,
  };
}
