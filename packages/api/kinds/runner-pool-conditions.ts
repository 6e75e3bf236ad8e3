import { conditionReasons, conditionTypes, defineConditions } from '../schema/condition-catalogue.ts';

export const runnerPoolConditions = defineConditions({
  Ready: {
    meaning: 'As many runners as wanted are online; the message is why jobs wait.',
    reasons: {
      Ready: 'Every wanted runner is online.',
      Starting: 'Runners are on their way.',
      NoPlace: 'The scheduler finds no free VM slot on the fleet; the message has its words. Add hosts or want fewer.',
      HeldUp: 'Hosts cannot start VMs; the message has what the agent says.',
      CrashBackOff: 'Runners of this image end without a job; look at status.recentEnds.',
      ForgeTrouble: 'The forge gives no registrations; look at ForgeReachable.',
      LostContact: 'Runners are up and the forge does not hear them.',
      OSNotSupported: 'Only pools of darwin are run; set spec.os to darwin.',
      Deleting: 'The pool is on its way out.',
    },
  },
  ForgeReachable: {
    meaning: 'The forge answers with the credentials of this pool.',
    reasons: {
      Reachable: 'The last call succeeded.',
      NotAskedYet: 'The first answer is awaited.',
      ForgeNotNamed: 'spec.forge is missing; set account and secretName.',
      SecretMissing: 'There is no Secret of that name; create it with app-id, installation-id and private-key.',
      ForgeUnavailable: 'It does not answer, or asks us to slow down; it is tried again.',
      ForgeRefused: 'It refuses our App; look at its rights and its installation.',
      ForgeRejected: 'It calls a request wrong; it is tried again.',
      ForgeCredentialsInvalid: 'The Secret lacks a field, or holds a wrong one.',
      RunnerExists: 'Another runner has the name of one of ours and is in use.',
      RunnerGroupUnknown: 'There is no group of runners of that name.',
      RegistrationsLeft: 'The forge keeps runners that are gone because it believes that they have a job.',
    },
  },
  Rolling: {
    meaning: 'Runners of another image are being replaced.',
    reasons: {
      Rolling: 'The message says how many are left.',
      WaitingForJobs: 'All that is left has a job; nothing is done before it is over.',
      UpToDate: 'Every runner has the image of the pool.',
    },
  },
  PodsTerminating: {
    meaning: 'Pods are not gone though their time is over; they may hold VM slots.',
    reasons: {
      Stuck: 'The message names the Pods and what holds each.',
      NoneStuck: 'No Pod of the pool is beyond its time.',
    },
  },
  Deleting: {
    meaning: 'The pool is being deleted; the message says what it waits for.',
    reasons: {
      NotDeleting: 'The pool stays.',
      WaitingForJobs: 'Runners with a job are let finish.',
      RemovingRunners: 'Runners and their registrations are being removed.',
      DeletionCompleted: 'Nothing is left; the finalizer goes next.',
    },
  },
});

export const runnerPoolConditionTypes = conditionTypes(runnerPoolConditions);
export const runnerPoolReasons = conditionReasons(runnerPoolConditions);
