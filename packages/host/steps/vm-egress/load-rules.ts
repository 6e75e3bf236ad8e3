import { fileFailure } from '../../file-failure.ts';
import type { Host } from '../../host.ts';
import { LOAD } from './egress-job.ts';
import { HOST_PF_RULES_REFUSED } from './errors.ts';
import { complaintIn } from './pf-complaint.ts';
import { TOKEN_FILE } from './places.ts';

/** Loads the rules that lie on the host, as its own job does; returns what had to be killed for it. */
export const loadRules = (host: Host): Promise<string[]> => runLoader(host, LOAD);

/** Empties both anchors and gives our reference to pf back: without another one pf ends, as on a Mac of the vendor. */
export const unloadRules = (host: Host): Promise<string[]> => runLoader(host, ['/dev/null', TOKEN_FILE, 'release']);

async function runLoader(host: Host, words: readonly string[]): Promise<string[]> {
  const { exitCode, stdout, stderr } = await host.script('vm-egress-load', words);
  if (exitCode === 0) return stdout.split('\n').filter(line => line !== '');
  const where = { path: TOKEN_FILE, address: host.address };
  throw fileFailure(where, stderr) ?? HOST_PF_RULES_REFUSED({ address: host.address, complaint: complaintIn(stderr) });
}
