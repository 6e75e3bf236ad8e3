import { HOST_FILE_CHANGED } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { HOST_PF_CONF_INVALID } from './errors.ts';
import type { Observed } from './observe.ts';
import { confComplaint } from './pf-complaint.ts';
import { withoutLoad } from './pf-conf.ts';
import { PF_CONF } from './places.ts';

/**
 * Lets the host's own pfctl read what pf.conf is to become, before anything is written: one wrong line anywhere, ours or
 * not, and pf takes nothing of the file at the next boot. As it is, it was read when the host was observed.
 */
export async function requireAccepted(
  host: Host,
  { conf: before = '', confRefused }: Observed,
  conf: string,
): Promise<void> {
  if (conf === before && confRefused === undefined) return;
  // Without the rules of ours, which do not lie there yet: they were read by themselves.
  const candidate = withoutLoad(conf);
  const { exitCode, stderr } = await host.run(['/sbin/pfctl', '-nf', '-'], { root: true, stdin: candidate });
  if (exitCode === 0) return;
  throw HOST_PF_CONF_INVALID({ address: host.address, complaint: confComplaint(stderr, { before, candidate }) });
}

/** Writes the very text pf accepted, unless the file is no longer the one that was read. */
export async function writeConf(host: Host, { conf: before = '' }: Observed, conf: string): Promise<string[]> {
  if (conf === before) return [];
  await host.editText({ path: PF_CONF, mode: 0o644, owner: 'root:wheel' }, now => {
    if (now !== before) throw HOST_FILE_CHANGED({ path: PF_CONF, address: host.address });
    return conf;
  });
  return [`wrote ${PF_CONF}`];
}
