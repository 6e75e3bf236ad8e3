import { type HostStep, hostReasons } from '@minifleet/api';
import { HOST_REBOOT_INEFFECTIVE, localNetwork } from '@minifleet/host';
import { type ConditionNote, findCondition, setCondition } from '@minifleet/kube';
import type { Server } from '@minifleet/vendors';
import type { HandlerDeps, HostScope } from './host-scope.ts';
import { notDone } from './journal.ts';

type LocalNetworkNote = Omit<ConditionNote, 'type'>;

/** Port on which macOS shares the screen, if the vendor names no other. */
const SCREEN_PORT = 5900;

/** Reports from the last job whether Packer on a builder reaches its VMs without a click on Allow. */
export function noteLocalNetwork(
  { host, server }: Pick<HostScope, 'host' | 'server'>,
  { clock, settings }: Pick<HandlerDeps, 'clock' | 'settings'>,
): void {
  const note = localNetworkGranted(host, { server, isOff: settings.fleet.localNetwork === false });
  if (note) setCondition(host, { type: 'LocalNetworkGranted', ...note }, clock);
}

interface LocalNetworkView {
  readonly server: Server | undefined;
  /** The fleet file says that somebody else grants the permission. */
  readonly isOff: boolean;
}

/** Undefined if nothing new is known. */
export function localNetworkGranted(
  host: HostScope['host'],
  { server, isOff }: LocalNetworkView,
): LocalNetworkNote | undefined {
  const { job, steps = [] } = host.status ?? {};
  if (!host.spec.desired?.ghActionsRunner) return granted(hostReasons.NotNeeded, 'the host is not a builder');
  // A running job may have written the list without having activated it. Without the server, the screen is not known.
  if (findCondition(host, 'LocalNetworkGranted') && (job || !server)) return undefined;
  const click = clickAt(server);
  if (isOff)
    return unknown(
      hostReasons.ManagedExternally,
      `localNetwork is false: grant the permission with a configuration profile, or ${click}`,
    );
  const step = steps.find(({ name }) => name === localNetwork.id);
  if (job || !step) return unknown(hostReasons.NotInspected, 'no job has inspected the host yet');
  return step.state === 'Done' ? granted(hostReasons.AllowListActive) : missing(step, click);
}

function missing({ reason, message = '' }: HostStep, click: string): LocalNetworkNote {
  if (reason === notDone.rebootPending)
    return denied(
      hostReasons.RebootPending,
      `${message}; the Mac restarts before it takes work, or when no job runs; to build images before that, ${click}`,
    );
  if (reason === HOST_REBOOT_INEFFECTIVE.definition.reason)
    return denied(hostReasons.RebootIneffective, `${message}; or ${click}`);
  return denied(
    hostReasons.AllowListNotActive,
    `${message || 'the step was not reached'}; to build images before that is repaired, ${click}`,
  );
}

function clickAt(server: Server | undefined): string {
  const screen = server?.screen ?? (server?.address && `${server.address}:${SCREEN_PORT}`);
  const where = screen === undefined ? 'on its screen' : `at vnc://${screen}`;
  return `click Allow ${where} when macOS asks during a build`;
}

const note =
  (status: LocalNetworkNote['status']) =>
  (reason: string, message = ''): LocalNetworkNote => ({ status, reason, message });

const granted = note('True');
const denied = note('False');
const unknown = note('Unknown');
