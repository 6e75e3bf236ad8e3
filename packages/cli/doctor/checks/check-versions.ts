import { kinds } from '@minifleet/api';
import type { CustomResourceDefinition } from '@minifleet/kube';
import { INSTALL_CLUSTER_API, INSTALL_CRDS } from '../../cluster/errors.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import { crdFieldDifference } from '../crd-field-difference.ts';
import { counted, type DoctorFinding, toDiagnoses } from '../finding.ts';

/** Oldest minor version that the charts support. */
const OLDEST_KUBERNETES = 36;
const CAPI_VERSION = 'v1beta2';
const CAPI_KINDS = ['clusters', 'machinedeployments', 'machines'].map(plural => `${plural}.cluster.x-k8s.io`);

export function checkKubernetes({ kubernetes }: Pick<ClusterSnapshot, 'kubernetes'>): Diagnosis[] {
  const [, major = '0', minor = '0'] = /^v(\d+)\.(\d+)/.exec(kubernetes) ?? [];
  const old = Number(major) < 1 || (Number(major) === 1 && Number(minor) < OLDEST_KUBERNETES);
  const finding: DoctorFinding = {
    what: `the API server is ${kubernetes}`,
    impact: `versions before 1.${OLDEST_KUBERNETES} are untested and may reject the policies and CRDs of Minifleet`,
    fix: `upgrade the control plane to 1.${OLDEST_KUBERNETES} or later`,
  };
  return toDiagnoses({ check: 'Kubernetes', ok: kubernetes, unreadable: [], findings: old ? [finding] : [] });
}

export function checkClusterApi({ definitions }: Pick<ClusterSnapshot, 'definitions'>): Diagnosis[] {
  const findings = CAPI_KINDS.flatMap((name): DoctorFinding[] => {
    const served = servedBy(definitions.items.find(({ metadata }) => metadata.name === name));
    if (served.includes(CAPI_VERSION)) return [];
    const what =
      served.length === 0 ? `${name} is missing` : `${name} serves ${served.join(', ')}, not ${CAPI_VERSION}`;
    const impact = 'without it no Machine is created, drained or replaced';
    return [
      { what, impact, fix: served.length === 0 ? INSTALL_CLUSTER_API : 'clusterctl upgrade apply --contract v1beta2' },
    ];
  });
  return toDiagnoses({
    check: 'Cluster API',
    ok: `${CAPI_VERSION} is served`,
    unreadable: [definitions.unreadable],
    findings,
  });
}

export function checkCrds({ definitions }: ClusterSnapshot): Diagnosis[] {
  const findings = kinds.flatMap(kind => {
    const crd = kind.crd();
    const found = definitions.items.find(({ metadata }) => metadata.name === crd.metadata.name);
    return kindFinding(crd, found) ?? [];
  });
  return toDiagnoses({
    check: 'CRDs',
    ok: `all ${kinds.length} match this version`,
    unreadable: [definitions.unreadable],
    findings,
  });
}

function kindFinding(
  crd: ReturnType<(typeof kinds)[number]['crd']>,
  found: CustomResourceDefinition | undefined,
): DoctorFinding | undefined {
  const { name } = crd.metadata;
  if (!found) return { what: `${name} is missing`, impact: 'its objects cannot be created or read', fix: INSTALL_CRDS };
  const [version] = crd.spec.versions;
  const theirs = found.spec?.versions.find(each => each.name === version?.name && each.served);
  if (!theirs) {
    const what = `${name} serves ${servedBy(found).join(', ') || 'nothing'}, not ${version?.name}`;
    return {
      what,
      impact: 'this minifleet and the programs of the same version cannot read it',
      fix: 'use the minifleet version that installed it',
    };
  }
  return differing(name, crdFieldDifference(version?.schema.openAPIV3Schema, theirs.schema?.openAPIV3Schema ?? {}));
}

function differing(
  name: string,
  { lacking, unknown }: ReturnType<typeof crdFieldDifference>,
): DoctorFinding | undefined {
  if (lacking.length > 0) {
    const what = `${name} is older than this version: it lacks ${some(lacking)}`;
    return { what, impact: 'the API server silently drops these fields', fix: INSTALL_CRDS };
  }
  if (unknown.length === 0) return undefined;
  const what = `${name} is newer than this version: it has ${some(unknown)}`;
  return {
    what,
    impact: 'this minifleet ignores these fields',
    fix: 'use the minifleet version that installed it',
  };
}

const some = (fields: readonly string[]): string =>
  fields.length <= 3
    ? fields.join(', ')
    : `${fields.slice(0, 2).join(', ')} and ${counted(fields.length - 2, 'more field')}`;

const servedBy = (definition: CustomResourceDefinition | undefined): string[] =>
  (definition?.spec?.versions ?? []).filter(({ served }) => served).map(({ name }) => name);
