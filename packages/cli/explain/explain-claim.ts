import { type HostClaim, hostClaimConditions } from '@minifleet/api';
import { deleting, findCondition } from '@minifleet/kube/client';
import { adviceFor } from '../cluster/advice.ts';
import {
  conditionSentence,
  type ExplainContext,
  lastWarning,
  meaningOf,
  type ObjectExplanation,
  sentence,
} from './explanation.ts';

interface ClaimExplainInput extends ExplainContext {
  readonly claim: HostClaim;
}

const IN_ORDER = ['Deleting', 'Held', 'NameMirrored'] as const;

/** Explains which machine holds the host, whether it is quarantined, and its recorded failures. */
export function explainClaim(view: ClaimExplainInput): ObjectExplanation {
  const { claim, now } = view;
  const { machineRef } = claim.spec;
  const holder = machineRef ? `is held by machine ${machineRef.namespace}/${machineRef.name}` : 'is held by no machine';
  const first = `Host ${claim.metadata.name} ${deleting(claim) ? 'is being returned to the pool' : holder}.`;
  const trouble = IN_ORDER.map(type => findCondition(claim, type)).find(
    condition =>
      condition && (condition.type === 'Deleting' ? condition.status === 'True' : condition.status === 'False'),
  );
  const quarantine = quarantineSentence(claim);
  const reason = quarantine?.reason ?? (machineRef || deleting(claim) ? trouble?.reason : undefined);
  const troubled =
    trouble && reason === trouble.reason
      ? [`${conditionSentence(trouble, now)}.`, meaningOf(hostClaimConditions, trouble)]
      : [];
  const sentences = [first, quarantine?.sentence, ...troubled, failureSentence(claim), lastWarning(view, first)];
  const idle = machineRef ? 'none' : 'none, the next machine that needs a host can claim it';
  return {
    sentences: sentences.filter(each => each !== undefined),
    next:
      reason === undefined
        ? idle
        : (adviceFor(reason, { name: claim.metadata.name }) ?? 'none, the provider continues'),
  };
}

function quarantineSentence({
  spec,
  status,
}: HostClaim): { readonly reason: string; readonly sentence: string } | undefined {
  if (spec.quarantine) {
    return {
      reason: 'OperatorRequest',
      sentence: `An operator quarantined it: ${sentence(spec.quarantine.reason)} No machine can claim it.`,
    };
  }
  if (!status?.quarantine) return undefined;
  const { until, reasons } = status.quarantine;
  const end = until === undefined ? 'until an operator releases it' : `until ${until}`;
  return {
    reason: 'FailedTooOften',
    sentence: `It is quarantined ${end} after repeated failures (${reasons.join(', ')}).`,
  };
}

function failureSentence({ status }: HostClaim): string | undefined {
  const [worst] = (status?.failures ?? []).toSorted((a, b) => b.count - a.count);
  if (!worst) return undefined;
  const times = worst.count === 1 ? 'once' : `${worst.count} times`;
  return `Bootstrap failed ${times} at step ${worst.step}: ${sentence(worst.message ?? worst.reason)}`;
}
