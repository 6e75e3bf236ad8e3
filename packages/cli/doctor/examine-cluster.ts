import type { Client } from '@minifleet/kube';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext, CliOutput } from '../context.ts';
import type { Diagnosis } from '../diagnosis/diagnosis.ts';
import { showDiagnoses } from '../diagnosis/diagnosis.ts';
import type { ExitCode } from '../exit.ts';
import { untilAborted } from '../stop.ts';
import { releasePod } from '../unstick/release-pod.ts';
import { podCount } from '../unstick/unstick-view.ts';
import { checkBinding } from './checks/check-binding.ts';
import { checkCredentials } from './checks/check-credentials.ts';
import { checkDeletions, releasable } from './checks/check-deletions.ts';
import { checkHosts, checkPool } from './checks/check-hosts.ts';
import { checkPermissions, installNamespaces } from './checks/check-permissions.ts';
import { checkAgents, checkPrograms } from './checks/check-programs.ts';
import { checkClusterApi, checkCrds, checkKubernetes } from './checks/check-versions.ts';
import { type ClusterSnapshot, readCluster } from './cluster-snapshot.ts';
import type { DoctorRequest } from './doctor-command.ts';
import { expectedPermissions, missingPermissions, readRbacManifests } from './expected-permissions.ts';
import { exitCodeOf } from './finding.ts';

/** Runs all checks and prints the results. With `--fix`, applies the safe fixes and checks again. */
export async function examineCluster(request: DoctorRequest, context: CliContext): Promise<ExitCode> {
  return withCluster(request, context, async client => {
    const read = (): Promise<ClusterSnapshot> => untilAborted(context, readCluster(client, context.clock.now()));
    let snapshot = await read();
    if (request.fix && (await release(client, snapshot, context.errors)) > 0) snapshot = await read();
    const found = await untilAborted(context, diagnose(client, snapshot));
    showDiagnoses(found, request.output === 'json', context);
    return exitCodeOf(found);
  });
}

async function diagnose(client: Client, snapshot: ClusterSnapshot): Promise<Diagnosis[]> {
  const places = installNamespaces(snapshot);
  const missing =
    places && (await missingPermissions(client, expectedPermissions(await readRbacManifests(), places), places.system));
  return [
    ...checkKubernetes(snapshot),
    ...checkClusterApi(snapshot),
    ...checkCrds(snapshot),
    ...checkPrograms(snapshot),
    ...checkPermissions(snapshot, missing),
    ...checkCredentials(snapshot),
    ...checkPool(snapshot),
    ...checkHosts(snapshot),
    ...checkBinding(snapshot),
    ...checkDeletions(snapshot),
    ...checkAgents(snapshot),
  ];
}

/** Releases Pods and returns their number. Progress goes to standard error, so that `-o json` stays one object. */
async function release(client: Client, snapshot: ClusterSnapshot, errors: CliOutput): Promise<number> {
  const releases = releasable(snapshot);
  const refusals = await Promise.all(releases.map(each => releasePod(client, each)));
  for (const refused of refusals) if (refused !== undefined) errors.write(`${refused}\n`);
  const released = refusals.filter(refused => refused === undefined).length;
  errors.write(`${podCount(released)} released.\n`);
  return released;
}
