import { z } from 'zod';
import { machineAddresses } from '../schema/api-endpoint.ts';
import { kubernetes, quantity, time } from '../schema/kubernetes.ts';
import type { SchemaOutput } from '../schema/schema-output.ts';
import { hostJournal } from './host-journal.ts';
import { sharedStatus } from './shared-status.ts';

/** States of a host, each with its meaning. `packages/provider/hosts/states` has one file for each. */
export const hostStates = {
  Available: 'No machine holds the host; a machine can claim it.',
  Claimed: 'A machine holds the host; the provider renames the server and collects credentials.',
  Bootstrapping: 'The provider applies the first plan of this machine.',
  Serving: 'The host matched a plan of this machine once. Drift is repaired, new plans are rolled out.',
  Restarting: 'The provider restarts the host through the vendor, after repeated failures of the first plan.',
  Reinstalling: 'The vendor reinstalls the host, because it rejects the fleet key.',
  Releasing:
    'The host leaves its machine: jobs are stopped, credentials revoked, and the host is returned or retained.',
  Quarantined: 'No machine gets the host until the quarantine ends.',
  Missing: 'The vendor no longer lists the server.',
} as const;

export type HostState = keyof typeof hostStates;

const failure = z.object({
  step: z.string().min(1).max(63).describe('Step that failed on this host.'),
  reason: z.string().min(1).max(128).describe('Reason in CamelCase.'),
  count: z.int().min(1).describe('Number of failures since the last successful bootstrap.'),
  firstTime: time.optional().describe('Time of the first such failure.'),
  lastTime: time.describe('Time of the last such failure.'),
  message: z.string().max(2048).optional().describe('Message of the last failure; never contains a secret.'),
});

const returns = z.object({
  epoch: z.int().min(0).describe('spec.claimEpoch of the last release that was counted.'),
  failing: z.int().min(0).optional().describe('Number of machines that released the host with failures on record.'),
  quarantined: z.int().min(0).optional().describe('Number of quarantines; the next one is longer.'),
});

const lastRelease = z.object({
  epoch: z.int().min(1).describe('spec.claimEpoch of the released hold.'),
  consumer: z.string().max(320).describe('namespace/name of the machine.'),
  reason: z
    .enum(['Returned', 'Retained', 'GaveUp', 'LeftToOthers', 'Vanished'])
    .describe(
      'Returned or Retained: the machine was deleted. GaveUp: the host failed too often. LeftToOthers: another cluster renamed the server, or the machine holds another host. Vanished: the vendor no longer has the server. After GaveUp, LeftToOthers and Vanished a machine that is not deleted claims another host.',
    ),
  time: time.describe('Time of the release.'),
});

const quarantine = z.object({
  since: time.describe('Start of the quarantine.'),
  until: time.optional().describe('End of the quarantine. If absent, an operator must end it.'),
  reasons: kubernetes(z.array(z.string().max(128)).max(16), { 'x-kubernetes-list-type': 'set' }).describe(
    'Reasons from the failure record.',
  ),
});

const contact = z.object({
  state: z.enum(['Waiting', 'Failed']).describe('Waiting (until nextAttemptTime), or Failed (until an operator acts).'),
  attempts: z.int().min(0).optional().describe('Consecutive failures.'),
  nextAttemptTime: time.optional().describe('Time of the next attempt.'),
  reason: z.string().max(128).describe('Reason of the failure, in CamelCase.'),
  message: z.string().max(2048).optional().describe('Message of the failure; never contains a secret.'),
  since: time.describe('Time of the first of these failures.'),
});

const remedy = z.object({
  requestTime: time.describe('Time at which the provider decided on the remedy, before it asked the vendor.'),
  attempts: z.int().min(0).optional().describe('Consecutive failures before the remedy.'),
  acceptedTime: time.optional().describe('Time at which the vendor accepted it.'),
  refusal: z.string().max(2048).optional().describe('Message of the vendor that refused it.'),
});

const remedies = z.object({
  restart: remedy.optional().describe('Restart through the vendor; once for each machine.'),
  reinstall: remedy.optional().describe('Reinstallation of a host that rejects the fleet key; once for each machine.'),
  giveUp: remedy.optional().describe('Quarantine after too many failures; the machine claims another host.'),
});

const hardware = z.object({
  type: z.string().max(64).optional().describe('Type of the Mac, for example M2-L.'),
  macOS: z.string().max(64).optional().describe('macOS image or version.'),
  cpu: z.int().min(0).optional().describe('CPU cores.'),
  memory: quantity.optional().describe('Memory.'),
  disk: quantity.optional().describe('Disk size.'),
});

export const macHostStatus = z.object({
  ...sharedStatus,
  state: z
    .enum(Object.keys(hostStates) as [HostState, ...HostState[]])
    .optional()
    .describe(
      Object.entries(hostStates)
        .map(([state, meaning]) => `${state}: ${meaning}`)
        .join(' '),
    ),
  stateSince: time.optional().describe('Time of the last change of state.'),
  vendorName: z.string().max(256).optional().describe('Name of the server at the vendor at the last check.'),
  vendorState: z
    .enum(['Ready', 'Busy', 'Broken'])
    .optional()
    .describe('Ready, Busy (installing or restarting), or Broken (only vendor support can help).'),
  hardware: hardware.optional().describe('Properties of the Mac.'),
  addresses: machineAddresses.optional().describe('Addresses of the host.'),
  ...hostJournal,
  contact: contact
    .optional()
    .describe('Failure that belongs to no step: the host does not respond, or a job took too long.'),
  remedies: remedies.optional().describe('Remedies for a host that never served its machine.'),
  servedSince: time.optional().describe('Time at which the host first matched a plan of its machine.'),
  failures: kubernetes(z.array(failure).max(64), {
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['step', 'reason'],
  })
    .optional()
    .describe(
      'Failure record of this host across all its machines. A host that keeps failing is chosen last and then quarantined.',
    ),
  lastRelease: lastRelease.optional().describe('Last release of the host, written before the hold ends.'),
  returns: returns.optional().describe('Counts of releases, for the length of the next quarantine.'),
  quarantine: quarantine.optional().describe('Present while the host is quarantined because of failures.'),
  returnableAt: time.optional().describe('Earliest time at which the rental can end (24-hour minimum of Apple).'),
});

export type MacHostStatus = SchemaOutput<typeof macHostStatus>;
export type HostFailureRecord = SchemaOutput<typeof failure>;
export type HostRelease = SchemaOutput<typeof lastRelease>;
export type HostContact = SchemaOutput<typeof contact>;
export type HostRemedies = SchemaOutput<typeof remedies>;
