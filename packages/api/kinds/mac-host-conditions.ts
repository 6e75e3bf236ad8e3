import { conditionReasons, defineConditions } from '../schema/condition-catalogue.ts';
import { machineConditions } from './machine-conditions.ts';
import { unexpected } from './shared-status.ts';

/**
 * Conditions of a host. The machine controller copies those that machines also have (`OSImageCurrent`, `CredentialsReady`,
 * `HostBootstrapped`, `LocalNetworkGranted`) to the machine under the same name, with the same reasons.
 */
export const hostConditions = defineConditions({
  Claimed: {
    meaning: 'The machine in spec.consumerRef exists and names this host.',
    reasons: {
      HeldByMachine: 'Host and machine agree.',
      NotClaimed: 'No machine holds the host.',
      ConsumerMissing:
        'The machine in spec.consumerRef no longer exists. With --reclaim-orphans the provider returns the host to its pool.',
      HeldByOtherCluster: 'spec.clusterID is that of another cluster; this cluster does not touch the host.',
      MultipleConsumers:
        'A second machine names this host; the message says which. It is fenced and cannot change the host.',
    },
  },
  NameMirrored: {
    meaning: 'The name of the server at the vendor shows the consumer to operators and other clusters.',
    reasons: {
      NameMirrored: 'The vendor reports the name.',
      NotClaimed: 'No machine holds the host; its name is that of its pool.',
      NotRented: 'The Mac is owned and has no name at a vendor.',
      RenamePending: 'The vendor does not report the new name yet.',
      VendorUnavailable: 'The vendor API is unreachable or refuses the call; the provider retries with back-off.',
      NameTaken: 'The server was renamed from outside this cluster; the message has the name.',
      HostMissing: 'The server no longer exists at the vendor.',
      ...unexpected,
    },
  },
  OSImageCurrent: machineConditions.OSImageCurrent,
  CredentialsReady: machineConditions.CredentialsReady,
  HostBootstrapped: machineConditions.HostBootstrapped,
  LocalNetworkGranted: machineConditions.LocalNetworkGranted,
  Quarantined: {
    meaning: 'The host is quarantined; no machine gets it.',
    reasons: {
      OperatorRequest: 'An operator set spec.quarantine.',
      FailedTooOften: 'The host failed too often; see status.failures.',
      Retained: 'A machine released the host with hostRelease: Retain; the host keeps its contents.',
      NotQuarantined: 'The host can be claimed.',
    },
  },
  Ready: {
    meaning: 'The host is available for a machine, or serves its machine.',
    reasons: {
      Available: 'A machine can claim the host.',
      Serving: 'The host matches the plan of its machine.',
      NotReady: 'The message names the state and what it waits for.',
    },
  },
});

export const hostReasons = conditionReasons(hostConditions);
