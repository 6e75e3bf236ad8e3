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

export interface ClaimExplainInput extends ExplainContext {
  readonly claim: HostClaim;
}

const IN_ORDER = ['Deleting', 'Held', 'NameMirrored'] as const;

/** Who has the host, whether others may, and what it failed at before. */
export function explainClaim(view: ClaimExplainInput): ObjectExplanation {
  const { claim, now } = view;
  const { machineRef } = claim.spec;
  const holder = machineRef ? `is held by machine ${machineRef.namespace}/${machineRef.name}` : 'is held by no machine';
  const first = `Host ${claim.metadata.name} ${deleting(claim) ? 'goes back to the pool' : holder}.`;
  const trouble = IN_ORDER.map(type => findCondition(claim, type)).find(
    condition =>
      condition && (condition.type === 'Deleting' ? condition.status === 'True' : condition.status === 'False'),
  );
  const aside = asideWords(claim);
  const reason = aside?.reason ?? (machineRef || deleting(claim) ? trouble?.reason : undefined);
  const troubled =
    trouble && reason === trouble.reason
      ? [`${conditionSentence(trouble, now)}.`, meaningOf(hostClaimConditions, trouble)]
      : [];
  const sentences = [first, aside?.words, ...troubled, failureWords(claim), lastWarning(view, first)];
  const idle = machineRef ? 'nothing to do' : 'nothing to do: the next machine that needs a host may have it';
  return {
    sentences: sentences.filter(each => each !== undefined),
    next:
      reason === undefined ? idle : (adviceFor(reason, { name: claim.metadata.name }) ?? 'wait: it goes on by itself'),
  };
}

function asideWords({ spec, status }: HostClaim): { readonly reason: string; readonly words: string } | undefined {
  if (spec.quarantine) {
    return {
      reason: 'OperatorRequest',
      words: `A person put it aside: ${sentence(spec.quarantine.reason)} No machine gets it.`,
    };
  }
  if (!status?.quarantine) return undefined;
  const { until, reasons } = status.quarantine;
  const end = until === undefined ? 'until a person releases it' : `until ${until}`;
  return { reason: 'FailedTooOften', words: `It failed too often (${reasons.join(', ')}) and is put aside ${end}.` };
}

function failureWords({ status }: HostClaim): string | undefined {
  const [worst] = (status?.failures ?? []).toSorted((a, b) => b.count - a.count);
  if (!worst) return undefined;
  const times = worst.count === 1 ? 'once' : `${worst.count} times`;
  return `It failed ${times} at step ${worst.step}: ${sentence(worst.message ?? worst.reason)}`;
}
