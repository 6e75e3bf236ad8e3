import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findBinaries, startLocalCluster } from '@minifleet/local-cluster';
import { renderCrds } from '../generate-crds.ts';
import { kinds } from '../kinds.ts';
import type { Kind } from '../schema/define-kind.ts';
import { type Answer, type Call, callApiServer } from './api-server.ts';
import { olderCrd, olderMachine, olderStatus } from './older-system.ts';

const run = promisify(execFile);
const strict = 'fieldValidation=Strict';

/** A real API server that has our CRDs, installed over those of the older system with an object of its in place. */
export interface ContractCluster {
  call: (call: Call) => Promise<Answer>;
  kubectl: (argv: readonly string[]) => Promise<string>;
  /** Asks whether the object would be taken; nothing is stored. */
  tryCreate: (kind: Kind, object: Record<string, unknown>) => Promise<Answer>;
  /** Stores `from`, asks whether it may become `to`, and removes it. */
  tryChange: (kind: Kind, from: Record<string, unknown>, to: Record<string, unknown>) => Promise<Answer>;
  /** Path of the object that the older system left. */
  leftover: string;
  stop: () => Promise<void>;
}

export async function startContractCluster(): Promise<ContractCluster> {
  const binaries = await findBinaries({ programs: ['kubectl'] });
  const local = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
  const admin = local.kubeconfigs.admin;
  const call = (one: Call) => callApiServer(admin, one);
  const kubectl = async (argv: readonly string[]) => {
    return (await run(binaries.kubectl, ['--kubeconfig', admin.path, ...argv])).stdout;
  };
  try {
    await leaveOlderObject(call, kubectl);
    await installCrds(kubectl);
  } catch (error) {
    await local.stop();
    throw error;
  }
  return {
    call,
    kubectl,
    tryCreate: (kind, body) => call({ method: 'POST', path: `${pathOf(kind)}?dryRun=All&${strict}`, body }),
    tryChange: (kind, from, to) => tryChange(call, kind, { from, to }),
    leftover: leftoverPath,
    stop: () => local.stop(),
  };
}

const [machineKind] = kinds;
const leftoverPath = machineKind ? `${pathOf(machineKind)}/${olderMachine.metadata.name}` : '';

function pathOf({ resource: { group, version, plural, scope } }: Kind): string {
  const namespace = scope === 'Namespaced' ? '/namespaces/default' : '';
  return `/apis/${group}/${version}${namespace}/${plural}`;
}

async function leaveOlderObject(call: ContractCluster['call'], kubectl: ContractCluster['kubectl']): Promise<void> {
  await must(call({ method: 'POST', path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body: olderCrd }));
  await kubectl(['wait', '--for=condition=Established', '--timeout=180s', `crd/${olderCrd.metadata.name}`]);
  await must(call({ method: 'POST', path: path.posix.dirname(leftoverPath), body: olderMachine }));
  await must(call({ method: 'PATCH', path: `${leftoverPath}/status`, body: { status: olderStatus } }));
}

async function installCrds(kubectl: ContractCluster['kubectl']): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), 'minifleet-crds-'));
  try {
    for (const [name, yaml] of renderCrds()) await writeFile(path.join(directory, name), yaml);
    // --force-conflicts: the older CRD was made by another field manager.
    await kubectl(['apply', '--server-side', '--force-conflicts', '--validate=strict', '--filename', directory]);
    await kubectl(['wait', '--for=condition=Established', '--timeout=180s', '--filename', directory]);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function tryChange(
  call: ContractCluster['call'],
  kind: Kind,
  { from, to }: { from: Record<string, unknown>; to: Record<string, unknown> },
): Promise<Answer> {
  const stored = (await must(call({ method: 'POST', path: `${pathOf(kind)}?${strict}`, body: from }))).body as {
    metadata: { name: string; resourceVersion: string };
  };
  const { name, resourceVersion } = stored.metadata;
  const body = { ...to, metadata: { ...(to['metadata'] as object), resourceVersion } };
  const answer = await call({ method: 'PUT', path: `${pathOf(kind)}/${name}?dryRun=All&${strict}`, body });
  await must(call({ method: 'DELETE', path: `${pathOf(kind)}/${name}` }));
  return answer;
}

async function must(attempt: Promise<Answer>): Promise<Answer> {
  const answer = await attempt;
  if (answer.status >= 300) throw new Error(`the API server answered ${answer.status}: ${answer.message}`);
  return answer;
}
