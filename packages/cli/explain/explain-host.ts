import { hostConditions, type MacHost } from '@minifleet/api';
import { deleting, findCondition, type Node } from '@minifleet/kube/client';
import { adviceFor } from '../cluster/advice.ts';
import { consumerOf, hostState, quarantineOf, readyMessage, sinceOf } from '../cluster/hosts.ts';
import type { InfraMachine } from '../cluster/machines.ts';
import { age } from '../get/age.ts';
import { explainMachine, stepSentences } from './explain-machine.ts';
import {
  conditionSentence,
  type ExplainContext,
  lastWarning,
  meaningOf,
  type ObjectExplanation,
  sentence,
} from './explanation.ts';

interface HostExplainInput extends ExplainContext {
  readonly host: MacHost;
  /** Machine that holds the host; undefined for a free host, or if the machine no longer exists. */
  readonly machine: InfraMachine | undefined;
  readonly node: Node | undefined;
}

/** Explains a Mac: its machine first, if a machine holds it, then what only the MacHost shows. */
export function explainHost(view: HostExplainInput): ObjectExplanation {
  const { host, machine, now } = view;
  const problem = problemOf(host);
  const advice = problem && adviceFor(problem.reason, { name: host.metadata.name });
  const troubled = problem ? [`${conditionSentence(problem, now)}.`, meaningOf(hostConditions, problem)] : [];
  if (machine) {
    const { sentences, next } = explainMachine({ ...view, machine });
    const state = hostState(host) === 'Serving' ? [] : [stateSentence(host, now)];
    const rest = [...state, ...troubled, laterQuarantine(host), failureSentence(host)];
    return { sentences: [...sentences, ...defined(rest)], next: advice ?? next };
  }
  const state = stateSentence(host, now);
  const consumer = consumerOf(host);
  const held = consumer === undefined ? '' : `Its machine ${consumer} does not exist.`;
  const open = consumer === undefined ? [] : stepSentences(host, now);
  const sentences = [
    state,
    held,
    quarantineSentence(host),
    ...troubled,
    ...open,
    failureSentence(host),
    lastRelease(host),
  ];
  return { sentences: defined([...sentences, lastWarning(view, state)]), next: advice ?? nextOf(host) };
}

const defined = (sentences: readonly (string | undefined)[]): string[] =>
  sentences.filter(each => each !== undefined && each !== '') as string[];

/** Conditions that only the host has, and that name a problem if they are False. */
const OWN_CONDITIONS = ['Claimed', 'NameMirrored'];
const NOT_CLAIMED = 'NotClaimed';

const problemOf = (host: MacHost) =>
  OWN_CONDITIONS.map(type => findCondition(host, type)).find(
    condition => condition?.status === 'False' && condition.reason !== NOT_CLAIMED,
  );

function stateSentence(host: MacHost, now: number): string {
  const { metadata, spec } = host;
  const since = age(sinceOf(host), now);
  const message = readyMessage(host);
  const why = message === '' || hostState(host) === 'Quarantined' ? '.' : `: ${sentence(message)}`;
  const free = spec.consumerRef ? '' : ` in pool ${spec.pool}`;
  return `Host ${metadata.name}${free} has been ${hostState(host)} for ${since}${why}`;
}

function quarantineSentence(host: MacHost): string | undefined {
  const quarantine = quarantineOf(host);
  if (!quarantine) return undefined;
  const { reason, until, requested } = quarantine;
  if (requested) return `It is quarantined: ${sentence(reason)} No machine can claim it.`;
  return `It is quarantined ${until === undefined ? 'until an operator releases it' : `until ${until}`} after ${reason}.`;
}

const laterQuarantine = ({ spec: { quarantine } }: MacHost): string | undefined =>
  quarantine && `It will be quarantined after its machine releases it: ${sentence(quarantine.reason)}`;

function failureSentence({ status }: MacHost): string | undefined {
  const [worst] = (status?.failures ?? []).toSorted((a, b) => b.count - a.count);
  if (!worst) return undefined;
  const times = worst.count === 1 ? 'once' : `${worst.count} times`;
  return `Bootstrap failed ${times} at step ${worst.step}: ${sentence(worst.message ?? worst.reason)}`;
}

function lastRelease({ status }: MacHost): string | undefined {
  const release = status?.lastRelease;
  return release && `Machine ${release.consumer} released it at ${release.time} (${release.reason}).`;
}

function nextOf(host: MacHost): string {
  const { name } = host.metadata;
  const quarantine = quarantineOf(host);
  if (quarantine) return adviceFor(quarantine.requested ? 'OperatorRequest' : 'FailedTooOften', { name }) ?? '';
  if (deleting(host)) return 'none, the object is deleted once its machine has released it';
  if (hostState(host) === 'Available' && readyMessage(host) === '')
    return 'none, the next machine that needs a host can claim it';
  return 'none, the provider continues';
}
