import { defineConditions } from '../schema/condition-catalogue.ts';

export const runnerPoolConditions = defineConditions({
  Ready: {
    meaning: 'All desired runners are online. If not, the message says why jobs wait.',
    reasons: {
      Ready: 'All desired runners are online.',
      Starting: 'Runners are starting.',
      Unschedulable:
        'The scheduler finds no free VM slot in the fleet, or no Mac of the fleet is large enough; the message says which. Add hosts, or reduce replicas or the size of the runners.',
      HostBlocked: 'Hosts do not start VMs; the message quotes the node agent.',
      PodsRejected: 'The API server rejects new runner Pods, for example because of a quota; the message quotes it.',
      CrashBackOff: 'Runners of this image end without a job; see status.recentEnds.',
      RunnerOutdated:
        'GitHub gives no jobs to the runner version of this image; see the condition RunnerVersionSupported.',
      ForgeUnreachable: 'GitHub registers no runners; see the condition ForgeReachable.',
      RunnersOffline: 'Runners run, but GitHub reports them as offline.',
      OSNotSupported: 'Only pools with spec.os: darwin are supported.',
      Deleting: 'The pool is being deleted.',
    },
  },
  ForgeReachable: {
    meaning: 'GitHub accepts the credentials of this pool.',
    reasons: {
      Reachable: 'The last call succeeded.',
      NotChecked: 'No call has finished yet.',
      ForgeNotNamed: 'spec.forge is not set; set account and secretName.',
      SecretMissing: 'The Secret does not exist; create it with app-id, installation-id and private-key.',
      ForgeUnavailable: 'GitHub does not respond, or limits the rate; retrying.',
      ForgeRefused: 'GitHub refuses the App; check its permissions and its installation.',
      ForgeRejected: 'GitHub rejects a request as invalid; retrying.',
      ForgeCredentialsInvalid: 'A field of the Secret is missing or invalid.',
      RunnerExists: 'Another runner in use has the name of a runner of this pool.',
      RunnerGroupUnknown: 'The runner group does not exist.',
      StaleRegistrations: 'GitHub keeps registrations of runners that are gone, because it considers them busy.',
    },
  },
  RunnerVersionSupported: {
    meaning: 'GitHub gives jobs to the version of actions/runner in the image.',
    reasons: {
      Supported: 'GitHub has announced no end of support within 14 days.',
      NotChecked: 'No runner of the pool has reported its version yet, or GitHub does not know the version.',
      EndsSoon: 'GitHub stops giving jobs to this version within 14 days; rebuild the image with a newer runner.',
      Outdated: 'GitHub gives no jobs to this version; rebuild the image with a newer runner.',
    },
  },
  Rolling: {
    meaning: 'Runners with an outdated image are being replaced.',
    reasons: {
      Rolling: 'The message says how many runners are left.',
      WaitingForJobs: 'All remaining runners are busy; they are replaced after their job.',
      UpToDate: 'All runners have the image of the pool.',
    },
  },
  PodsTerminating: {
    meaning: 'Pods exceed their termination grace period; they may occupy VM slots.',
    reasons: {
      Stuck: 'The message names the Pods and the cause for each.',
      NoneStuck: 'No Pod of the pool exceeds its grace period.',
    },
  },
  Deleting: {
    meaning: 'The pool is being deleted. The message says what the deletion waits for.',
    reasons: {
      NotDeleting: 'The pool is not being deleted.',
      WaitingForJobs: 'Busy runners finish their job first.',
      RemovingRunners: 'Runners and their registrations are being removed.',
      DeletionCompleted: 'No runner is left; the finalizer is removed next.',
    },
  },
});
