import { randomBytes } from 'node:crypto';
import type { Client } from '@minifleet/kube';
import { withCluster } from '../../cluster/with-cluster.ts';
import type { CliContext } from '../../context.ts';
import { type Diagnosis, showDiagnoses } from '../../diagnosis/diagnosis.ts';
import type { ExitCode } from '../../exit.ts';
import { abortError, untilAborted } from '../../stop.ts';
import type { DoctorRequest } from '../doctor-command.ts';
import { exitCodeOf } from '../finding.ts';
import { needsOf, readChartValues, type ValueNeeds } from './chart-values.ts';
import { type PreflightFacts, readPreflightFacts } from './preflight-facts.ts';
import { type EndpointProbe, probeEndpoint } from './probe-endpoint.ts';
import { checkRequirements } from './requirement-checks.ts';
import { checkTrials, notTried, type TrialResults } from './trial-checks.ts';
import { SIGNERS, tryBootstrapToken, trySigner } from './trials.ts';
import { checkValues } from './value-checks.ts';

const NAMESPACE = 'minifleet-system';
const QUESTION =
  'Test bootstrap tokens and certificate signing? This creates a Secret in kube-system and two certificate requests, and deletes them.';

/** Checks the requirements before an installation. Only the trials change the cluster, and only with the agreement of the user. */
export async function runPreflight(request: DoctorRequest, context: CliContext): Promise<ExitCode> {
  const { namespace = NAMESPACE, values = [] } = request;
  const needs = values.length === 0 ? undefined : needsOf(await readChartValues(values), namespace);
  return withCluster(request, context, async client => {
    const facts = await untilAborted(context, readPreflightFacts(client, namespace, needs?.secrets ?? []));
    const found: Diagnosis[] = [
      ...checkRequirements(facts, namespace),
      ...checkTrials(await tryCluster(client, request, context)),
      ...(needs ? checkValues(needs, facts, await probe(needs, facts)) : []),
    ];
    showDiagnoses(found, request.output === 'json', context);
    return exitCodeOf(found);
  });
}

async function tryCluster(client: Client, { yes }: DoctorRequest, context: CliContext): Promise<TrialResults> {
  const agreed = yes ?? (context.prompts ? await context.prompts.confirm(QUESTION) : false);
  if (agreed === undefined) throw abortError();
  if (!agreed) return { bootstrapToken: notTried, clientSigner: notTried, servingSigner: notTried };
  const deps = { client, clock: context.clock, signal: context.signal, random: randomBytes };
  const trials = [tryBootstrapToken(deps), trySigner(SIGNERS.client, deps), trySigner(SIGNERS.serving, deps)] as const;
  // A trial that was interrupted still deletes its object, and needs the connection for it.
  await Promise.allSettled(trials);
  const [bootstrapToken, clientSigner, servingSigner] = await Promise.all(trials);
  return { bootstrapToken, clientSigner, servingSigner };
}

async function probe({ endpoint }: ValueNeeds, { authority }: PreflightFacts): Promise<EndpointProbe | undefined> {
  const { host, port } = endpoint;
  if (host === undefined || port === undefined || authority === undefined) return undefined;
  return probeEndpoint({ host, port }, authority);
}
