import { conditionReasons, conditionTypes, defineConditions } from '../schema/condition-catalogue.ts';
import { unexpected } from './shared-conditions.ts';

export const hostClaimConditions = defineConditions({
  Held: {
    meaning: 'The machine in machineRef exists and names this claim.',
    reasons: {
      HeldByMachine: 'Claim and machine agree.',
      Released: 'No machine holds the host.',
      HolderMissing:
        'The machine in machineRef no longer exists. The sweep returns the host only while its name at the vendor is still ours; after clusterctl move it is not.',
      HolderElsewhere: 'clusterID is of another cluster; this one keeps its hands off the host.',
      HeldTwice:
        'A second machine names this host; the message says which. It is fenced: it may do nothing on the host.',
    },
  },
  NameMirrored: {
    meaning: 'The name of the host at the vendor shows the claim, for people and for other clusters.',
    reasons: {
      NameMirrored: 'The vendor has the name.',
      RenamePending: 'The vendor has not taken the new name yet.',
      NameTaken: 'Someone else renamed the host; the message has the name found.',
      HostMissing: 'The vendor no longer knows the host.',
      ...unexpected,
    },
  },
  Quarantined: {
    meaning: 'The host is put aside and given to no machine.',
    reasons: {
      OperatorRequest: 'A person asked for it in spec.quarantine.',
      FailedTooOften: 'It failed too often, whichever machine held it; look at status.failures.',
      NotQuarantined: 'The host may be used.',
    },
  },
  Ready: {
    meaning: 'Held and NameMirrored both hold.',
    reasons: { Ready: 'The claim is in force.', NotReady: 'The message names the condition that does not hold.' },
  },
  Deleting: {
    meaning: 'The claim is being given up; the reason names the step.',
    reasons: {
      NotDeleting: 'The claim stays.',
      ReturningHost: 'The host is being wiped and renamed into the pool; the claim holds it until that is asked for.',
      WaitingForHolder: 'The machine still holds the host.',
      DeletionCompleted: 'All is done; the finalizer goes next.',
    },
  },
});

export const hostClaimConditionTypes = conditionTypes(hostClaimConditions);
export const hostClaimReasons = conditionReasons(hostClaimConditions);
