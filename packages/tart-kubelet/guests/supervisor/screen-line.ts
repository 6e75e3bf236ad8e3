/** The line by which `tart run` says where it serves the guest's screen (facts 10.6), and how to repeat it to others. */
import type { GuestScreen } from '../guest.ts';

const ANNOUNCED = /^VNC server is running at vnc:/;
const PLACE = /vnc:\/\/[^\s:@]*:(\S+)@(\S+):(\d{1,5})\s*$/;
const LOOPBACK = /^(127(\.\d+){3}|\[::1\]|localhost)$/;

export const isScreenLine = (line: string): boolean => ANNOUNCED.test(line);

/** Undefined for every other line, and for a screen that is open to all or not on this host: such a one is none of ours. */
export function readScreenLine(line: string): GuestScreen | undefined {
  const [, password = '', host = '', port] = (isScreenLine(line) && PLACE.exec(line)) || [];
  return LOOPBACK.test(host) ? { host: host.replaceAll(/[[\]]/g, ''), port: Number(port), password } : undefined;
}

/** Whatever else Tart may say about VNC, and however the line was cut: from the scheme to the last `@` nothing is shown. */
export const withoutPassword = (line: string): string =>
  line.replaceAll(/\bvnc:\/\/(\S*@)?(\S*)/gi, (_, secret: string | undefined, rest: string) =>
    secret === undefined ? 'vnc://REDACTED' : `vnc://:REDACTED@${rest}`,
  );
