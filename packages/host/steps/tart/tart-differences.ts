import type { Disturbance } from '../../engine/step.ts';
import { TART_COMMAND, TART_COMMAND_TEXT, type TartState } from './tart-state.ts';

export interface WantedTart {
  readonly version: string;
  /** SHA-256 of the archive. */
  readonly archive: string;
}

/** Why the bundle has to be replaced; undefined when it need not be. */
export function bundleDifference(state: TartState, { version, archive }: WantedTart): string | undefined {
  if (state.programHash === undefined) return `Tart is not there, wanted ${version}`;
  const [from, hash] = (state.origin ?? '').split(' ');
  if (state.version === undefined) return `Tart is there and does not run, wanted ${version}`;
  if (state.version !== version) return `Tart is ${state.version}, wanted ${version}`;
  if (from !== archive) return `Tart ${version} is there, but not from the wanted archive`;
  if (hash !== state.programHash) return 'Tart’s program was changed after it was unpacked';
  return state.verified ? undefined : 'the signature of Tart’s bundle is broken';
}

export function commandDifference({ command, commandInfo }: TartState): string | undefined {
  const { path } = TART_COMMAND;
  if (commandInfo?.kind === 'link') return `${path} is a link, wanted a script that starts Tart from its bundle`;
  if (command === undefined || commandInfo === undefined) return `${path} is missing`;
  if (command !== TART_COMMAND_TEXT) return `${path} does not start Tart from its bundle`;
  const { uid, gid, mode } = commandInfo;
  return uid === 0 && gid === 0 && mode === TART_COMMAND.mode ? undefined : `${path} is not root’s with mode 0755`;
}

/** The hypervisor is never replaced under a VM unless someone says so; where there was none, nobody can miss it. */
export function disturbanceOf(state: TartState, want: WantedTart): Disturbance {
  if (bundleDifference(state, want) === undefined || state.programHash === undefined) return 'nothing';
  return state.vmsRun ? 'running VMs' : 'new VMs';
}
