import type { Output } from '../processes/pipe.ts';

/** Output that is sent on at the end of the turn: a program that writes line by line costs one packet, not hundreds. */
export interface GatheredOutput extends Output {
  /** Sends what is there now: before an exit code, which must come last. */
  flush(): void;
}

/** As the pipe between a command and sshd does: what is written before it is read arrives together. */
export function gatherOutput(send: (content: Buffer) => void): GatheredOutput {
  let waiting: Buffer[] = [];
  const flush = (): void => {
    const chunks = waiting;
    waiting = [];
    if (chunks.length > 0) send(Buffer.concat(chunks));
  };
  return {
    write(content) {
      if (content.length > 0 && waiting.push(Buffer.from(content)) === 1) setImmediate(flush);
    },
    flush,
  };
}
