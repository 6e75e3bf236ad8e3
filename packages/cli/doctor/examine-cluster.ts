import type { Client } from '@minifleet/kube';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext, Output } from '../context.ts';
import type { Diagnosis } from '../diagnosis/diagnosis.ts';
import { showDiagnoses } from '../diagnosis/show-diagnoses.ts';
import { type ExitCode, exitCode } from '../exit.ts';
import { unlessStopped } from '../stop.ts';
import { releasePod } from '../unstick/release-pod.ts';
import { podCount } from '../unstick/unstick-view.ts';
import { missingRights } from './ask-rights.ts';
import { checkAccess, placesIn } from './checks/access.ts';
import { checkAgents } from './checks/agents.ts';
import { checkBinding } from './checks/binding.ts';
import { checkCredentials } from './checks/credentials.ts';
import { checkHosts } from './checks/hosts.ts';
import { checkPool } from './checks/pool.ts';
import { checkPrograms } from './checks/programs.ts';
import { checkStuck, releasable } from './checks/stuck.ts';
import { checkClusterApi, checkKinds, checkKubernetes } from './checks/versions.ts';
import { type ClusterSeen, readCluster } from './cluster-seen.ts';
import type { DoctorRequest } from './doctor-command.ts';
import { readAccess, wantedRights } from './wanted-access.ts';

/** Looks, tells, and, where asked to, does what is safe and looks again. */
export async function examineCluster(request: DoctorRequest, around: CliContext): Promise<ExitCode> {
  return withCluster(request, around, async client => {
    const look = (): Promise<ClusterSeen> => unlessStopped(around, readCluster(client, around.clock.now()));
    let seen = await look();
    if (request.fix && (await release(client, seen, around.errors)) > 0) seen = await look();
    const found = await unlessStopped(around, diagnose(client, seen));
    showDiagnoses(found, request.output === 'json', around);
    return codeFor(found);
  });
}

async function diagnose(client: Client, seen: ClusterSeen): Promise<Diagnosis[]> {
  const places = placesIn(seen);
  const missing = places && (await missingRights(client, wantedRights(await readAccess(), places), places.system));
  return [
    ...checkKubernetes(seen),
    ...checkClusterApi(seen),
    ...checkKinds(seen),
    ...checkPrograms(seen),
    ...checkAccess(seen, missing),
    ...checkCredentials(seen),
    ...checkPool(seen),
    ...checkHosts(seen),
    ...checkBinding(seen),
    ...checkStuck(seen),
    ...checkAgents(seen),
  ];
}

/** How many Pods were let go. What is done is told on the side, so that `-o json` stays one object. */
async function release(client: Client, seen: ClusterSeen, errors: Output): Promise<number> {
  const releases = releasable(seen);
  const refusals = await Promise.all(releases.map(each => releasePod(client, each)));
  for (const refused of refusals) if (refused !== undefined) errors.write(`${refused}\n`);
  const released = refusals.filter(refused => refused === undefined).length;
  errors.write(`${podCount(released)} released.\n`);
  return released;
}

/** A problem counts more than something that could not be looked at: it is known. */
function codeFor(found: readonly Diagnosis[]): ExitCode {
  if (found.some(({ state }) => state === 'problem')) return exitCode.differs;
  return found.some(({ state }) => state === 'unknown') ? exitCode.failed : exitCode.done;
}
