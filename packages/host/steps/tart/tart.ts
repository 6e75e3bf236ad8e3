import { minutes } from '@minifleet/clock';
import { defineStep, drift, type Finding } from '../../engine/step.ts';
import { fileFailure } from '../../file-failure.ts';
import type { Artifact, Host } from '../../host.ts';
import { scriptFailure } from '../../launchd/script-failure.ts';
import { HOST_TART_ARCHIVE_UNUSABLE, HOST_TART_IN_USE } from './errors.ts';
import { bundleDifference, commandDifference, disturbanceOf, type WantedTart } from './tart-differences.ts';
import { lookAtTart, TART_APP, TART_ARCHIVE, TART_COMMAND, TART_COMMAND_TEXT } from './tart-state.ts';

export interface Tart {
  readonly version: string;
  /** Upstream's `tart.tar.gz`, which holds the whole `tart.app`. */
  readonly archive: Artifact;
}

/** Tart as its whole bundle, with a command that starts it from there. */
export const tart = defineStep<Tart>({
  id: 'tart',
  title: 'Tart',
  disturbs: 'running VMs',
  timeout: minutes(15),

  async inspect(host, want) {
    const state = await lookAtTart(host);
    const differences = [bundleDifference(state, wantedTart(want)), commandDifference(state)];
    return drift(
      differences.filter(difference => difference !== undefined),
      disturbanceOf(state, wantedTart(want)),
    );
  },

  async change(host, want, finding) {
    const state = await lookAtTart(host);
    const replaced = bundleDifference(state, wantedTart(want)) !== undefined;
    if (replaced) await install(host, want, finding);
    if (commandDifference(state) !== undefined) await host.writeFile(TART_COMMAND, TART_COMMAND_TEXT);
    return replaced ? [`installed Tart ${want.version}${state.version ? ` in place of ${state.version}` : ''}`] : [];
  },
});

const wantedTart = ({ version, archive }: Tart): WantedTart => ({ version, archive: archive.sha256 });

const FAILURES: Readonly<Record<number, (said: string) => string>> = {
  84: () => 'it holds no tart.app',
  85: () => 'the signature of its tart.app is broken',
  86: said => `it holds version ${said.trim() || 'unknown'}`,
};
const VMS_RUN = 87;

/** Sent first, unpacked and tried on the host, then renamed: interrupted anywhere, nothing is sent twice. */
async function install(host: Host, { version, archive }: Tart, finding: Finding): Promise<void> {
  await host.upload({ path: TART_ARCHIVE, mode: 0o600, owner: 'root:wheel' }, archive);
  // Whoever let us come this far knows of the VMs that were found, not of one started since.
  const allowed = finding.state === 'drift' && finding.disturbs === 'running VMs';
  const args = [TART_ARCHIVE, archive.sha256, version, host.user, allowed ? 'anyhow' : 'idle'];
  const ran = await host.script('tart-install', args, { timeout: minutes(5) });
  if (ran.exitCode === 0) return;
  const { address } = host;
  if (ran.exitCode === VMS_RUN) throw HOST_TART_IN_USE({ address });
  const full = fileFailure({ path: TART_APP, address }, ran.stderr);
  const why = FAILURES[ran.exitCode ?? 0]?.(ran.stdout);
  if (why && !full) throw HOST_TART_ARCHIVE_UNUSABLE({ archive: archive.name, address, why, version });
  throw full ?? scriptFailure(host, { command: 'tart-install', path: TART_APP }, ran);
}
