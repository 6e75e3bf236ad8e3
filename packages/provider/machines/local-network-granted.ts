import type { HostStep, ScalewayAppleSiliconMachine } from '@minifleet/api';
import { HOST_REBOOT_INEFFECTIVE, localNetwork } from '@minifleet/host';
import { findCondition } from '@minifleet/kube';
import type { Server } from '@minifleet/vendors';
import { notDone } from '../host-work/journal/journal.ts';
import { type MachineNote, noteCondition } from './note-condition.ts';
import type { MachineParts } from './parts.ts';
import type { MachineScope } from './scope.ts';

type Note = MachineNote<'LocalNetworkGranted'>;

/** Where macOS shares the screen, where the vendor says nothing else. */
const SCREEN_PORT = 5900;

/**
 * Says whether Packer on a builder reaches its guests without a click, from what the last run told of the step: nobody is
 * asked for it. It holds nothing up, and is said in every pass, for the phases stop at a host that is not as wanted.
 */
export function noteLocalNetwork({ samm, found }: MachineScope, { clock, settings }: MachineParts): void {
  const note = localNetworkGranted(samm, { server: found.server, off: settings.fleet.localNetwork === false });
  if (note) noteCondition(samm, clock, note);
}

interface Known {
  /** The host as the vendor showed it in this pass, if it was asked. */
  readonly server: Server | undefined;
  /** Nobody wants us to set the allow-list. */
  readonly off: boolean;
}

/** Undefined when there is nothing new to say. */
export function localNetworkGranted(samm: ScalewayAppleSiliconMachine, { server, off }: Known): Note | undefined {
  const { job, steps = [] } = samm.status ?? {};
  if (!samm.spec.ghActionsRunner) return granted('NotNeeded', 'the host is not a builder');
  // What a run tells on its way is not what it comes to: written is not in force. And without the vendor the screen is not known.
  const said = findCondition(samm, 'LocalNetworkGranted') !== undefined;
  if (said && (job || (!server && samm.spec.claimRef))) return undefined;
  const click = clickAt(server);
  if (off)
    return unknown(
      'ManagedExternally',
      `localNetwork is false: grant the permission with a configuration profile, or ${click}`,
    );
  const step = steps.find(({ name }) => name === localNetwork.id);
  if (job || !step) return unknown('NotInspected', 'no job has inspected the host yet');
  return step.state === 'Done' ? granted('AllowListActive') : missing(step, click);
}

function missing({ reason, message = '' }: HostStep, click: string): Note {
  if (reason === notDone.rebootPending)
    return denied(
      'RebootPending',
      `${message}; the Mac restarts before it takes work, or when no job runs; to build images before that, ${click}`,
    );
  if (reason === HOST_REBOOT_INEFFECTIVE.definition.reason)
    return denied('RebootIneffective', `${message}; or ${click}`);
  return denied(
    'AllowListNotActive',
    `${message || 'the step was not reached'}; to build images before that is repaired, ${click}`,
  );
}

function clickAt(server: Server | undefined): string {
  const screen = server?.screen ?? (server?.address && `${server.address}:${SCREEN_PORT}`);
  const where = screen === undefined ? 'on its screen' : `at vnc://${screen}`;
  return `click Allow ${where} when macOS asks during a build`;
}

const note =
  (status: Note['status']) =>
  (reason: Note['reason'], message = ''): Note => ({ type: 'LocalNetworkGranted', status, reason, message });

const granted = note('True');
const denied = note('False');
const unknown = note('Unknown');
