import {
  type HostContact,
  type HostRemedies,
  type HostStep,
  type InfraMachine,
  type MacHostStatus,
  names,
} from '@minifleet/api';
import { defined, type KubeObject, type Resource } from '@minifleet/kube';

/** The kind that MacHost replaced, with the fields that the conversion reads. */
export interface HostClaim extends KubeObject {
  spec: {
    zone: string;
    claimEpoch: number;
    machineRef?: { namespace: string; name: string; uid: string };
    clusterID?: string;
    poolPrefix?: string;
    originalName?: string;
    quarantine?: { reason: string; since?: string };
  };
  status?: Pick<MacHostStatus, 'vendorName' | 'failures' | 'quarantine'>;
}

export const hostClaims: Resource<HostClaim> = {
  group: names.groups.infrastructure,
  version: 'v1alpha1',
  kind: 'HostClaim',
  plural: 'hostclaims',
  scope: 'Cluster',
};

/** Status fields that a machine of that version has and that its MacHost has now. */
export type JournalOfMachine = Pick<
  MacHostStatus,
  'plan' | 'steps' | 'currentStep' | 'addresses' | 'contact' | 'remedies'
>;

/** Steps of that version that no plan has: a failure to reach the host, and what the provider did about failures. */
const PSEUDO_STEPS = { contact: '(host)', restart: '(restart)', reinstall: '(wipe)', giveUp: '(giving-up)' };

const isPseudoStep = (name: string): boolean => name.startsWith('(');

export function journalOfMachine({ status }: InfraMachine): JournalOfMachine {
  const { plan, steps, currentStep, addresses } = (status ?? {}) as JournalOfMachine;
  const pseudo = (name: string): HostStep | undefined => steps?.find(step => step.name === name);
  return {
    ...(plan ? { plan } : {}),
    ...(steps ? { steps: steps.filter(({ name }) => !isPseudoStep(name)) } : {}),
    ...(currentStep === undefined || isPseudoStep(currentStep) ? {} : { currentStep }),
    ...(addresses ? { addresses } : {}),
    ...defined({ contact: contactFrom(pseudo(PSEUDO_STEPS.contact)), remedies: remediesFrom(pseudo) }),
  };
}

function contactFrom(step: HostStep | undefined): HostContact | undefined {
  if (!step || (step.state !== 'Waiting' && step.state !== 'Failed')) return undefined;
  const { state, attempts, nextAttemptTime, message, reason = 'StepFailed', lastTransitionTime: since } = step;
  return { state, reason, since, ...defined({ attempts, nextAttemptTime, message }) };
}

/** Restart and reinstallation happen once for each machine, so the conversion must not forget them. */
function remediesFrom(pseudo: (name: string) => HostStep | undefined): HostRemedies | undefined {
  const remedies = defined({
    restart: remedyFrom(pseudo(PSEUDO_STEPS.restart)),
    reinstall: remedyFrom(pseudo(PSEUDO_STEPS.reinstall)),
    giveUp: remedyFrom(pseudo(PSEUDO_STEPS.giveUp)),
  });
  return Object.keys(remedies).length > 0 ? remedies : undefined;
}

/** Waiting: requested. Done: the vendor accepted. Failed: it refused. */
function remedyFrom(step: HostStep | undefined): HostRemedies['restart'] {
  if (!step) return undefined;
  const { state, attempts, message = '', lastTransitionTime: requestTime } = step;
  return {
    requestTime,
    ...defined({ attempts }),
    ...(state === 'Done' ? { acceptedTime: requestTime } : {}),
    ...(state === 'Failed' ? { refusal: message } : {}),
  };
}
