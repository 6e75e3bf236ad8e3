import { conditionReasons, conditionTypes, defineConditions } from '../schema/condition-catalogue.ts';
import { pausedCondition, unexpected } from './shared-status.ts';

/** One condition a phase, in the order the phases run; the sentences are the documentation of each reason. */
export const machineConditions = defineConditions({
  ClusterReady: {
    meaning: 'The Cluster this machine belongs to exists and its infrastructure is provisioned.',
    reasons: {
      ClusterReady: 'The Cluster is ready for machines.',
      WaitingForOwner:
        'Core has not made a Machine the owner of this object yet; nothing to do unless it was created by hand.',
      WaitingForCluster: 'The Cluster named by the label cluster.x-k8s.io/cluster-name does not exist.',
      WaitingForClusterInfrastructure:
        'The infrastructure of the Cluster is not provisioned yet; look at its infrastructureRef.',
      ...unexpected,
    },
  },
  HostClaimed: {
    meaning: 'A host is claimed for this machine alone.',
    reasons: {
      HostClaimed: 'The claim named in spec.claimRef holds the host.',
      NoAdoptPoolPrefix: 'No pool to adopt from: set spec.adoptPoolPrefix or the default of the controller.',
      NoHostAvailable: 'The pool has no free host of this type, zone and macOS family; order one or free one.',
      ClaimConflict:
        'Another machine holds the host that this one names; the message says which. Nothing is done on the host until one lets go.',
      ClaimLost: 'The claim is gone or was taken over, so this machine keeps its hands off the host.',
      HostVanished: 'The vendor no longer knows the host; delete the Machine to get another.',
      HostGivenUp: 'The host failed too often and went back to the pool in quarantine; another one is being claimed.',
      ReservationPending: 'The claim is made, and the vendor has not yet confirmed the new name of the host.',
      VendorUnavailable: 'The API of the vendor cannot be reached or refuses; it is tried again with growing pauses.',
      ...unexpected,
    },
  },
  OSImageCurrent: {
    meaning: 'The host runs an image that spec.os asks for and the vendor still offers.',
    reasons: {
      ImageOffered: 'The wanted image, or the newest of the wanted family, is in use.',
      ImageRetired:
        'The exact image is no longer offered, so its family is used; write the family in spec.os to be rid of this.',
      FamilyNotOffered:
        'The vendor offers no image of this family for this server type; the message lists what it offers.',
      CatalogueUnavailable: 'The catalogue of images could not be read; the host is left as it is.',
      ...unexpected,
    },
  },
  CredentialsReady: {
    meaning: 'The fleet key and the password of the host are known, so that the host can be reached and changed.',
    reasons: {
      CredentialsReady: 'Key and password are stored.',
      SSHKeyUnavailable: 'The fleet key could not be made or registered with the project of the vendor.',
      PasswordMissing:
        'The vendor no longer shows the password of the host; write it into the Secret that the message names, or reinstall the host.',
      PasswordRejected:
        'The host refused the password once. It is not tried again, because macOS would lock the account; write the right one into the Secret that the message names.',
      SecretUnavailable: 'The Secret with the credentials of this host could not be read or written.',
      ...unexpected,
    },
  },
  JoinMaterialReady: {
    meaning: 'The host can be given what it needs to join: API address, CA and a short-lived token.',
    reasons: {
      JoinMaterialReady: 'Join material is at hand.',
      BootstrapTokenUnavailable: 'No bootstrap token could be made; look at the rights of the provider in kube-system.',
      EndpointUnknown: 'No address of the API server is known; set controlPlaneEndpoint on the ExternalControlPlane.',
      RunnerTokenUnavailable:
        'GitHub gave no registration token for the runner; look at the GitHub App and its Secret.',
      ...unexpected,
    },
  },
  HostBootstrapped: {
    meaning: 'Every step of the plan was seen in force on the host.',
    reasons: {
      HostBootstrapped: 'The host is as the plan wants it.',
      BootstrapRunning: 'Steps are running; status.currentStep names the one.',
      StepWaiting: 'A step failed and is tried again at its nextAttemptTime.',
      StepFailed: 'A step did not converge and needs a person; its message says what differs.',
      HostUnreachable: 'The host does not answer over SSH.',
      HostKeyChanged:
        'The SSH key of the host is not the one first seen; it is not trusted. Reinstalled by hand? Delete the Machine.',
      PlanOutdated: 'The wanted plan changed; the roll waits for its turn.',
      DriftFound: 'The host changed under us and is being repaired; the message says what.',
      BootstrapDeadlineExceeded: 'The run did not end by its deadline and was cancelled.',
      RestartingHost: 'The host failed several times in a row and is restarted through the vendor, once.',
      ReinstallingHost:
        'The host refuses the key of its fleet, because it was delivered before the fleet had one; it is installed anew, once.',
      BuilderMaterialMissing:
        'The machine is to be a builder, and the provider was given nothing to make one with; see its builder settings.',
      RunnerTokenUnavailable:
        'GitHub gave no registration token for the runner; look at the GitHub App and its Secret.',
      ...unexpected,
    },
  },
  BuilderRunnerOnline: {
    meaning: 'The GitHub runner of a builder host takes jobs.',
    reasons: {
      RunnerOnline: 'GitHub sees the runner online.',
      RunnerOffline: 'GitHub has not seen the runner; it is being repaired.',
      RunnerNotRegistered: 'The runner is not registered with GitHub.',
      ForgeUnavailable: 'GitHub could not be asked about the runner; look at the GitHub App and its Secret.',
      NotABuilder: 'spec.ghActionsRunner is absent, so no runner is wanted.',
      ...unexpected,
    },
  },
  NodeReady: {
    meaning: 'The Node of this host is registered with the right providerID and is Ready.',
    reasons: {
      NodeReady: 'The Node is Ready.',
      WaitingForNode: 'The agent has not registered the Node yet.',
      NodeNotReady: 'The Node is registered and not Ready; the message repeats what it says.',
      ProviderIDMismatch:
        'The Node of this name carries another providerID, or another Node carries this one; none is ever overwritten, find out whose they are.',
      ...unexpected,
    },
  },
  ServingCertificateReady: {
    meaning: 'The agent serves logs and exec with a certificate that the provider approved.',
    reasons: {
      CertificateIssued: 'The serving certificate is issued.',
      WaitingForRequest: 'The agent has not asked for a serving certificate yet.',
      RequestDenied: 'The request names addresses that are not of this host; it was denied.',
      ...unexpected,
    },
  },
  Ready: {
    meaning: 'Everything above holds; core shows it as InfrastructureReady of the Machine.',
    reasons: {
      Ready: 'The host is a Ready Node.',
      NotReady: 'The message names the condition that does not hold and repeats its words.',
    },
  },
  LocalNetworkGranted: {
    meaning:
      'Programs in the session at the screen reach the guests on the local network without anybody clicking Allow. Ready does not wait for it.',
    reasons: {
      AllowListInForce: 'The allow-list is written and the Mac has booted since.',
      NotNeeded:
        'spec.ghActionsRunner is absent: what talks to guests there is no program of the session at the screen, which alone macOS asks about.',
      NotLookedAt: 'No run on the host has told of it yet.',
      LeftToOthers:
        'localNetwork is false in the fleet file: a configuration profile (minifleet tcc profile) or a click at the screen has to grant it.',
      NotInForce:
        'The allow-list is not written; the message says what keeps it and where Allow can be clicked instead.',
      RebootPending:
        'The allow-list is written and counts from the next boot; the provider restarts the Mac before it takes work, or once no job runs.',
      RebootInVain:
        'The Mac was restarted and the allow-list is still not in force; it is not restarted for it again. The message says what is left to do, and where its screen is.',
    },
  },
  Paused: pausedCondition,
  Deleting: {
    meaning: 'The machine is being deleted; the reason names the step.',
    reasons: {
      NotDeleting: 'The machine is not being deleted.',
      StoppingWork: 'The host is told to take no more work.',
      RemovingRunner: 'The runner is being removed from GitHub.',
      QuiescingHost:
        'hostRelease is Retain: the agent and the runner are taken off the host first, or it would register its Node again.',
      RevokingCredentials: 'Tokens and certificates of the Node are being revoked.',
      ReturningHost: 'The host is being wiped and given back to the pool.',
      RetainingHost: 'hostRelease is Retain: the host is let go as it is.',
      WaitingForVendor: 'The vendor refuses or cannot be reached; the host stays claimed until it is back in the pool.',
      LeftBehind:
        'Its Machine and its Cluster are gone, as after a clusterctl move that did not take it along: nothing is done on the host until a person says so.',
      DeletionCompleted: 'All is done; the finalizer goes next.',
    },
  },
});

export const machineConditionTypes = conditionTypes(machineConditions);
export const machineReasons = conditionReasons(machineConditions);
