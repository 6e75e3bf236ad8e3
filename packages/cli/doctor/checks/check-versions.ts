import { kinds } from '@minifleet/api';
import type { CustomResourceDefinition } from '@minifleet/kube';
import { INSTALL_KINDS } from '../../cluster/errors.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import { crdFieldDifference } from '../crd-field-difference.ts';
import { counted, type DoctorFinding, toDiagnoses } from '../finding.ts';

/** The oldest minor version our charts install on. */
const OLDEST_KUBERNETES = 36;
const CAPI_VERSION = 'v1beta2';
const CAPI_KINDS = ['clusters', 'machinedeployments', 'machines'].map(plural => `${plural}.cluster.x-k8s.io`);

export function checkKubernetes({ kubernetes }: ClusterSnapshot): Diagnosis[] {
  const [, major = '0', minor = '0'] = /^v(\d+)\.(\d+)/.exec(kubernetes) ?? [];
  const old = Number(major) < 1 || (Number(major) === 1 && Number(minor) < OLDEST_KUBERNETES);
  const finding: DoctorFinding = {
    what: `the API server is ${kubernetes}`,
    matters: `nothing older than 1.${OLDEST_KUBERNETES} was tried; policies and CRDs of ours may be refused there`,
    fix: `upgrade the control plane to 1.${OLDEST_KUBERNETES} or later`,
  };
  return toDiagnoses({ check: 'Kubernetes', well: kubernetes, unreadable: [], findings: old ? [finding] : [] });
}

export function checkClusterApi({ definitions }: ClusterSnapshot): Diagnosis[] {
  const findings = CAPI_KINDS.flatMap((name): DoctorFinding[] => {
    const served = servedBy(definitions.items.find(({ metadata }) => metadata.name === name));
    if (served.includes(CAPI_VERSION)) return [];
    const what =
      served.length === 0 ? `${name} is missing` : `${name} serves ${served.join(', ')}, not ${CAPI_VERSION}`;
    const matters = 'without it no Machine is made, drained or replaced';
    return [
      { what, matters, fix: served.length === 0 ? 'clusterctl init' : 'clusterctl upgrade apply --contract v1beta2' },
    ];
  });
  return toDiagnoses({
    check: 'Cluster API',
    well: `${CAPI_VERSION} is served`,
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
    check: 'kinds',
    well: `all ${kinds.length} are as this version has them`,
    unreadable: [definitions.unreadable],
    findings,
  });
}

function kindFinding(
  crd: ReturnType<(typeof kinds)[number]['crd']>,
  found: CustomResourceDefinition | undefined,
): DoctorFinding | undefined {
  const { name } = crd.metadata;
  if (!found)
    return { what: `${name} is missing`, matters: 'objects of that kind cannot be made or read', fix: INSTALL_KINDS };
  const [version] = crd.spec.versions;
  const theirs = found.spec?.versions.find(each => each.name === version?.name && each.served);
  if (!theirs) {
    const what = `${name} serves ${servedBy(found).join(', ') || 'nothing'}, not ${version?.name}`;
    return {
      what,
      matters: 'this minifleet and the programs of its version cannot read it',
      fix: 'use the minifleet of the version that installed it',
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
    return { what, matters: 'the API server drops what it does not know, without a word', fix: INSTALL_KINDS };
  }
  if (unknown.length === 0) return undefined;
  const what = `${name} is newer than this version: it has ${some(unknown)}`;
  return {
    what,
    matters: 'this minifleet shows and judges less than there is',
    fix: 'use the minifleet of the version that installed it',
  };
}

const some = (fields: readonly string[]): string =>
  fields.length <= 3
    ? fields.join(', ')
    : `${fields.slice(0, 2).join(', ')} and ${counted(fields.length - 2, 'more field')}`;

const servedBy = (definition: CustomResourceDefinition | undefined): string[] =>
  (definition?.spec?.versions ?? []).filter(({ served }) => served).map(({ name }) => name);
