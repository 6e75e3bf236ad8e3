import { conditionReasons, defineConditions } from '../schema/condition-catalogue.ts';
import { pausedCondition, unexpected } from './shared-status.ts';

/** One condition per phase, in the order of the phases. The sentences document each reason. */
export const machineConditions = defineConditions({
  ClusterReady: {
    meaning: 'The Cluster of this machine exists and its infrastructure is provisioned.',
    reasons: {
      ClusterReady: 'The Cluster is ready for machines.',
      WaitingForOwner:
        'Cluster API has not set a Machine as the owner of this object yet. Only an object that was created by hand stays in this state.',
      WaitingForCluster: 'The Cluster named by the label cluster.x-k8s.io/cluster-name does not exist.',
      WaitingForClusterInfrastructure:
        'The infrastructure of the Cluster is not provisioned yet; check its infrastructureRef.',
      ...unexpected,
    },
  },
  HostClaimed: {
    meaning: 'A host is claimed exclusively for this machine.',
    reasons: {
      HostClaimed: 'The claim named in spec.claimRef holds the host.',
      NoAdoptPoolPrefix: 'No pool is configured; set spec.adoptPoolPrefix or the default of the provider.',
      NoHostAvailable: 'The pool has no free host of this type, zone and macOS family; order a host or release one.',
      ClaimConflict:
        'Another machine holds the host that this machine names; the message says which. The provider does not touch the host until one of them releases it.',
      ClaimLost:
        'The claim no longer exists or has another holder, so the provider does not touch the host for this machine.',
      HostVanished: 'The host no longer exists at the vendor; delete the Machine to get another host.',
      HostGivenUp:
        'The host failed too often and was returned to the pool in quarantine; the provider claims another host.',
      ReservationPending: 'The host is claimed, but the vendor has not confirmed its new name yet.',
      VendorUnavailable: 'The vendor API is unreachable or refuses the call; the provider retries with back-off.',
      ...unexpected,
    },
  },
  OSImageCurrent: {
    meaning: 'The host runs an image that matches spec.os and that the vendor still offers.',
    reasons: {
      ImageOffered: 'The vendor offers the image, or an image of the family, in spec.os.',
      ImageRetired:
        'The vendor no longer offers the exact image, so the newest image of its family is used; set spec.os to the family to clear this warning.',
      FamilyNotOffered:
        'The vendor offers no image of this family for this server type; the message lists what it offers.',
      CatalogueUnavailable: 'The image catalogue of the vendor could not be read; the host is left unchanged.',
      ...unexpected,
    },
  },
  CredentialsReady: {
    meaning: 'The fleet key and the host password are known, so the provider can log in and configure the host.',
    reasons: {
      CredentialsReady: 'Key and password are stored.',
      SSHKeyUnavailable: 'The fleet key could not be created or registered in the vendor project.',
      PasswordMissing:
        'The vendor no longer returns the host password; write it to the Secret in the message, or reinstall the host.',
      PasswordRejected:
        'The host rejected the password. The provider does not try it again, because macOS would lock the account; write the correct password to the Secret in the message.',
      SecretUnavailable: 'The Secret with the credentials of this host could not be read or written.',
      ...unexpected,
    },
  },
  JoinMaterialReady: {
    meaning: 'The join credentials of the host are available: API server address, CA and a short-lived token.',
    reasons: {
      JoinMaterialReady: 'The join credentials are available.',
      BootstrapTokenUnavailable:
        'No bootstrap token could be created; check the RBAC permissions of the provider in kube-system.',
      EndpointUnknown: 'The API server address is unknown; set controlPlaneEndpoint on the ExternalControlPlane.',
      RunnerTokenUnavailable:
        'GitHub returned no registration token for the runner; check the GitHub App and its Secret.',
      ...unexpected,
    },
  },
  HostBootstrapped: {
    meaning: 'Every step of the plan is applied on the host.',
    reasons: {
      HostBootstrapped: 'The host matches the plan.',
      BootstrapRunning: 'Steps are running; see status.currentStep.',
      StepWaiting: 'A step failed; it is retried at its nextAttemptTime.',
      StepFailed: 'A step did not converge and needs an operator; its message says what differs.',
      HostUnreachable: 'The host does not respond over SSH.',
      HostKeyChanged:
        'The SSH host key changed, so the provider does not trust the host. If the host was reinstalled by hand, delete the Machine.',
      PlanOutdated: 'The desired plan changed; the host waits for its turn in the rollout.',
      DriftFound: 'The host drifted from its plan and is being repaired; the message names the steps.',
      BootstrapDeadlineExceeded: 'The host job exceeded its deadline and was cancelled.',
      RestartingHost: 'The host failed several times in a row; the provider restarts it once through the vendor.',
      ReinstallingHost:
        'The host rejects the fleet key, because it was installed before the key existed; the provider reinstalls it once.',
      BuilderMaterialMissing: 'spec.ghActionsRunner is set, but the provider has no builder settings that match it.',
      RunnerTokenUnavailable:
        'GitHub returned no registration token for the runner; check the GitHub App and its Secret.',
      ...unexpected,
    },
  },
  BuilderRunnerOnline: {
    meaning: 'The GitHub runner of a builder accepts jobs.',
    reasons: {
      RunnerOnline: 'GitHub reports the runner as online.',
      RunnerOffline: 'GitHub reports the runner as offline; the provider repairs it.',
      RunnerNotRegistered: 'The runner is not registered with GitHub.',
      ForgeUnavailable: 'The runner state could not be read from GitHub; check the GitHub App and its Secret.',
      NotABuilder: 'spec.ghActionsRunner is not set.',
      ...unexpected,
    },
  },
  NodeReady: {
    meaning: 'The Node of this host is registered with the correct providerID and is Ready.',
    reasons: {
      NodeReady: 'The Node is Ready.',
      WaitingForNode: 'The agent has not registered the Node yet.',
      NodeNotReady: 'The Node is registered but not Ready; the message quotes its Ready condition.',
      ProviderIDMismatch:
        'The Node of this name has another providerID, or another Node has this providerID. The provider never overwrites a providerID; delete the wrong Node.',
      ...unexpected,
    },
  },
  ServingCertificateReady: {
    meaning: 'The agent serves logs and exec with a certificate that the provider approved.',
    reasons: {
      CertificateIssued: 'The serving certificate is issued.',
      WaitingForRequest: 'The agent has no serving certificate yet, or its request is pending.',
      RequestDenied: 'The provider denied the request, because its names or addresses do not belong to this host.',
      ...unexpected,
    },
  },
  Ready: {
    meaning: 'All conditions above are True. Cluster API shows it as InfrastructureReady of the Machine.',
    reasons: {
      Ready: 'The host is a Ready Node.',
      NotReady: 'The message names the first condition that is not True and quotes its message.',
    },
  },
  LocalNetworkGranted: {
    meaning:
      'Programs in the GUI session reach VMs on the local network without a click on Allow. Ready does not depend on it.',
    reasons: {
      AllowListActive: 'The allow-list is written and the Mac has restarted since.',
      NotNeeded:
        'spec.ghActionsRunner is not set. macOS asks only for programs in the GUI session, and none of those talks to VMs on such a host.',
      NotInspected: 'No job has inspected the host yet.',
      ManagedExternally:
        'localNetwork is false in the fleet file; grant the permission with a configuration profile (minifleet tcc profile) or on the screen.',
      AllowListNotActive: 'The allow-list is not written; the message says why, and where to click Allow instead.',
      RebootPending:
        'The allow-list is written and takes effect at the next restart; the provider restarts the Mac before it takes work, or when no job runs.',
      RebootIneffective:
        'The Mac restarted, but the allow-list still has no effect; the provider does not restart it again. The message says what to do, and where the screen is.',
    },
  },
  Paused: pausedCondition,
  Deleting: {
    meaning: 'The machine is being deleted; the reason names the step.',
    reasons: {
      NotDeleting: 'The machine is not being deleted.',
      StoppingWork: 'Jobs on the host are being cancelled.',
      RemovingRunner: 'The runner is being removed from GitHub.',
      QuiescingHost:
        'hostRelease is Retain. The provider first removes the agent and the runner from the host, because the agent would register its Node again.',
      RevokingCredentials: 'Tokens and certificates of the Node are being revoked.',
      ReturningHost: 'The host is being reinstalled and returned to the pool.',
      RetainingHost: 'hostRelease is Retain: the host is released unchanged.',
      WaitingForVendor:
        'The vendor API is unreachable or refuses the call; the host stays claimed until it is returned to the pool.',
      LeftBehind:
        'The Machine and the Cluster no longer exist, as after a clusterctl move that left this object behind. The provider does not touch the host until an operator decides; see the message.',
      DeletionCompleted: 'Deletion is complete; the finalizer is removed next.',
    },
  },
});

export const machineReasons = conditionReasons(machineConditions);
