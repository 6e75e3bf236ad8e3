import { type InfraMachine, type MacHostStatus, names } from '@minifleet/api';
import type { KubeObject, Resource } from '@minifleet/kube';

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
export type JournalOfMachine = Pick<MacHostStatus, 'plan' | 'steps' | 'currentStep' | 'addresses'>;

/** Entries that recorded a restart, a reinstallation or the end of a machine as a step. */
const isPseudoStep = (name: string): boolean => name.startsWith('(');

export function journalOfMachine({ status }: InfraMachine): JournalOfMachine {
  const { plan, steps, currentStep, addresses } = (status ?? {}) as JournalOfMachine;
  return {
    ...(plan ? { plan } : {}),
    ...(steps ? { steps: steps.filter(({ name }) => !isPseudoStep(name)) } : {}),
    ...(currentStep === undefined || isPseudoStep(currentStep) ? {} : { currentStep }),
    ...(addresses ? { addresses } : {}),
  };
}
