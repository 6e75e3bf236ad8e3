import { kinds } from '@minifleet/api';
import type { CustomResourceDefinition } from '@minifleet/kube';
import type { ProgramDeployment } from '../../cluster/resources.ts';
import { type Diagnosis, healthy, unknown } from '../../diagnosis/diagnosis.ts';
import { checkClusterApi, checkKubernetes } from '../checks/check-versions.ts';
import { crdFieldDifference } from '../crd-field-difference.ts';
import { counted, type DoctorFinding, toDiagnoses } from '../finding.ts';
import type { InstallPermission, PreflightFacts } from './preflight-facts.ts';

/** Checks of the cluster that need no values. */
export const checkRequirements = (facts: PreflightFacts, namespace: string): Diagnosis[] => [
  ...checkKubernetes(facts).map(row => noteNewer(row, facts)),
  // The connection of this command is HTTP/2 only, so it would have failed before.
  healthy('HTTP/2', 'the API server speaks HTTP/2 on the path from this computer'),
  ...checkNodes(facts),
  ...checkCore(facts),
  ...checkWebhooks(facts),
  ...checkCertManager(facts),
  ...checkExistingCrds(facts),
  ...checkInstallPermissions(facts, namespace),
];

const NEWEST_KUBERNETES = 36;

/** A newer version is no problem, but the operator should know that nobody tested it. */
function noteNewer(row: Diagnosis, { kubernetes }: PreflightFacts): Diagnosis {
  const minor = Number(/^v1\.(\d+)/.exec(kubernetes)?.[1] ?? 0);
  const isNewer = row.state === 'ok' && minor > NEWEST_KUBERNETES;
  return isNewer ? { ...row, message: `${row.message}, tested with v1.${NEWEST_KUBERNETES}` } : row;
}

const ARCHITECTURES = ['amd64', 'arm64'];

/** The programs run on Linux Nodes, never on Macs. */
function checkNodes({ nodes }: PreflightFacts): Diagnosis[] {
  const usable = nodes.items.filter(
    ({ metadata: { labels = {} }, spec, status }) =>
      labels['kubernetes.io/os'] === 'linux' &&
      ARCHITECTURES.includes(labels['kubernetes.io/arch'] ?? '') &&
      !spec?.unschedulable &&
      status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True'),
  );
  const finding: DoctorFinding = {
    what: 'no Linux Node with amd64 or arm64 is Ready and schedulable',
    impact: 'the provider and the runner controller cannot start',
    fix: 'add a Linux Node, then check it with kubectl get nodes -L kubernetes.io/os,kubernetes.io/arch',
  };
  const ok = `${counted(usable.length, 'Linux Node')} for the programs`;
  const findings = usable.length === 0 ? [finding] : [];
  return toDiagnoses({ check: 'Nodes', ok, unreadable: [nodes.unreadable], findings });
}

/** Minor version of Cluster API in the tests. */
const CLUSTER_API_TESTED = 'v1.14';

/** The version is in the inventory of clusterctl, or else in the image of the manager. */
function checkCore(facts: PreflightFacts): Diagnosis[] {
  const served = checkClusterApi(facts);
  if (served.some(({ state }) => state !== 'ok')) return served;
  const findings = facts.clusterApi.items.filter(isDown).map(
    (one): DoctorFinding => ({
      what: `${nameOf(one)} has no Ready Pod`,
      impact: 'without it no Machine is created, drained or replaced',
      fix: `kubectl describe pods -n ${one.metadata.namespace} -l cluster.x-k8s.io/provider=cluster-api`,
    }),
  );
  const version = versionOf(facts);
  const ok = version === undefined ? 'v1beta2 is served; its version is not recorded in the cluster' : version;
  const note = version !== undefined && !version.startsWith(`${CLUSTER_API_TESTED}.`) ? ', tested with v1.14' : '';
  return toDiagnoses({ check: 'Cluster API', ok: `${ok}${note}`, unreadable: [facts.clusterApi.unreadable], findings });
}

function versionOf({ providers, clusterApi }: PreflightFacts): string | undefined {
  const recorded = providers.items.find(({ providerName }) => providerName === 'cluster-api')?.version;
  const images = clusterApi.items.flatMap(({ spec }) => spec?.template?.spec?.containers ?? []);
  return recorded ?? images.map(({ image = '' }) => /:(v\d+\.\d+\.\d+[^@]*)/.exec(image)?.[1]).find(Boolean);
}

function checkWebhooks({ webhooks }: PreflightFacts): Diagnosis[] {
  const check = 'webhooks';
  if (webhooks.kind === 'answered') return [healthy(check, 'the webhooks of Cluster API respond')];
  if (webhooks.kind !== 'failed') return [unknown(check, webhooks.why)];
  const finding: DoctorFinding = {
    what: `a Cluster was rejected: ${webhooks.why}`,
    impact: 'the chart cannot create the Cluster and its fleets',
    fix: 'kubectl get pods -n capi-system; with a private control plane, allow API server → Pods on TCP 9443',
  };
  return toDiagnoses({ check, ok: '', unreadable: [], findings: [finding] });
}

const OTHER_CERTIFICATES = 'not installed; the webhooks have certificates from another source';

/** cert-manager is one source of webhook certificates among others, so only a broken one is a problem. */
function checkCertManager({ certManager, definitions, webhooks }: PreflightFacts): Diagnosis[] {
  const installed = definitions.items.some(({ metadata }) => metadata.name === 'certificates.cert-manager.io');
  const findings = certManager.items.filter(isDown).map(
    (one): DoctorFinding => ({
      what: `${nameOf(one)} has no Ready Pod`,
      impact: 'the certificates of Cluster API’s webhooks are not renewed, and clusterctl cannot install',
      fix: `kubectl describe pods -n ${one.metadata.namespace}`,
    }),
  );
  return toDiagnoses({
    check: 'cert-manager',
    ok: installed ? 'installed' : webhooks.kind === 'answered' ? OTHER_CERTIFICATES : 'installed by clusterctl init',
    unreadable: [certManager.unreadable, definitions.unreadable],
    findings,
  });
}

const CRDS_RELEASE = 'minifleet-crds';

/** Helm refuses objects of another owner, and an older chart must not remove fields that objects may use. */
function checkExistingCrds({ definitions }: PreflightFacts): Diagnosis[] {
  const existing = kinds.flatMap(kind => {
    const crd = kind.crd();
    const found = definitions.items.find(({ metadata }) => metadata.name === crd.metadata.name);
    return found ? [{ crd, found }] : [];
  });
  const findings = existing.flatMap(({ crd, found }) => [
    ...ownerFinding(found),
    ...newerFinding(crd.spec.versions[0]?.schema.openAPIV3Schema, found),
  ]);
  const ok = existing.length === 0 ? 'none installed yet' : `${existing.length} installed by ${CRDS_RELEASE}`;
  return toDiagnoses({ check: 'CRDs', ok, unreadable: [definitions.unreadable], findings });
}

function ownerFinding({ metadata }: CustomResourceDefinition): DoctorFinding[] {
  const { annotations = {}, name } = metadata;
  const owner = annotations['meta.helm.sh/release-name'];
  if (owner === CRDS_RELEASE) return [];
  const system = 'minifleet-system';
  return [
    {
      what: `${name} exists and belongs to ${owner === undefined ? 'no Helm release' : `the Helm release ${owner}`}`,
      impact: `helm refuses to install ${CRDS_RELEASE}`,
      fix: `kubectl annotate --overwrite crd ${name} meta.helm.sh/release-name=${CRDS_RELEASE} meta.helm.sh/release-namespace=${system} && kubectl label --overwrite crd ${name} app.kubernetes.io/managed-by=Helm`,
    },
  ];
}

function newerFinding(ours: unknown, found: CustomResourceDefinition): DoctorFinding[] {
  const theirs = found.spec?.versions.find(({ storage }) => storage)?.schema?.openAPIV3Schema ?? {};
  const { lacking, unknown: more } = crdFieldDifference(ours, theirs);
  if (lacking.length > 0 || more.length === 0) return [];
  return [
    {
      what: `${found.metadata.name} is newer than this version: it has ${more.slice(0, 3).join(', ')}`,
      impact: 'an older chart would remove these fields',
      fix: 'use the charts and the minifleet of the version that installed it',
    },
  ];
}

function checkInstallPermissions({ missingPermissions }: PreflightFacts, namespace: string): Diagnosis[] {
  const described = missingPermissions.map(describePermission);
  const more = described.length > 3 ? ` and ${described.length - 3} more` : '';
  const finding: DoctorFinding = {
    what: `you are not allowed to ${described.slice(0, 3).join(', ')}${more}`,
    impact: 'helm cannot install the charts',
    fix: `let a cluster administrator install them into ${namespace}, or bind your user to cluster-admin`,
  };
  const findings = described.length === 0 ? [] : [finding];
  return toDiagnoses({ check: 'permissions', ok: 'you may install both charts', unreadable: [], findings });
}

const describePermission = ({ verb, group, resource, namespace }: InstallPermission): string =>
  `${verb} ${resource}${group === '' ? '' : `.${group}`}${namespace === '' ? '' : ` in ${namespace}`}`;

const isDown = ({ spec, status }: ProgramDeployment): boolean =>
  (spec?.replicas ?? 1) > 0 && (status?.readyReplicas ?? 0) === 0;

const nameOf = ({ metadata }: ProgramDeployment): string => `${metadata.namespace}/${metadata.name}`;
