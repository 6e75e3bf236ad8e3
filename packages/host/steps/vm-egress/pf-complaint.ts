/** What pfctl says at every turn, refused or not: a warning about -f, and that there is no ALTQ. */
const CHATTER =
  /^(pfctl: )?Use of -f option|^present in the main ruleset|^See \/etc\/pf\.conf|^No ALTQ support|^ALTQ related|^\s*$/;

/** What pfctl complains of, without what it says at every turn. */
export const complaintIn = (stderr: string): string =>
  stderr
    .split('\n')
    .filter(line => !CHATTER.test(line))
    .join('; ') || 'it does not say why';

export interface CheckedConf {
  /** As it is on the host. */
  readonly before: string;
  /** As pfctl was given it on standard input. */
  readonly candidate: string;
}

/** The first complaint about a candidate, with the line as the host has it: that is the one a person must find. */
export function confComplaint(stderr: string, { before, candidate }: CheckedConf): string {
  const found = /^(?:-|stdin):(\d+): (.*)$/m.exec(stderr);
  if (!found) return complaintIn(stderr);
  const lines = candidate.split('\n');
  const at = Number(found[1]) - 1;
  const line = lines[at] ?? '';
  const nth = lines.slice(0, at).filter(other => other === line).length;
  const own = before.split(/\r?\n/);
  const number = own.findIndex(
    (other, index) => other === line && own.slice(0, index).filter(x => x === line).length === nth,
  );
  return `line ${number + 1}, \`${line.trim()}\`: ${found[2]}`;
}
