import type { CustomResourceDefinition } from '@minifleet/kube';
import { type Diagnosis, healthy, unknown } from '../../diagnosis/diagnosis.ts';
import { counted, type DoctorFinding, toDiagnoses } from '../finding.ts';
import type { ExpectedSecret, ValueNeeds } from './chart-values.ts';
import type { PreflightFacts } from './preflight-facts.ts';
import type { EndpointProbe } from './probe-endpoint.ts';

/** Checks of the values of one release against the cluster. The chart checks the values against each other. */
export const checkValues = (
  needs: ValueNeeds,
  facts: PreflightFacts,
  probe: EndpointProbe | undefined,
): Diagnosis[] => [
  ...checkEndpoint(needs, probe),
  ...checkImages(needs),
  ...checkSecrets(needs, facts),
  ...checkOperators(needs, facts),
];

function checkEndpoint({ fleets, endpoint }: ValueNeeds, probe: EndpointProbe | undefined): Diagnosis[] {
  const check = 'endpoint';
  const { host, port } = endpoint;
  const at = `cluster.controlPlaneEndpoint ${host}:${port}`;
  const impact = 'the agents on the Macs cannot reach the API server';
  const problem = (what: string, fix: string): Diagnosis[] =>
    toDiagnoses({ check, ok: '', unreadable: [], findings: [{ what, impact, fix }] });
  if (host === undefined) {
    if (fleets.length === 0) return [healthy(check, 'not needed, because the values have no fleet')];
    const fix = 'set it to an address of the API server that the Macs can reach from outside the cluster';
    return problem(`cluster.controlPlaneEndpoint.host is empty, but ${fleets[0]} is enabled`, fix);
  }
  if (!probe) return [unknown(check, `${at} was not checked: ConfigMap kube-system/kube-root-ca.crt is unreadable`)];
  switch (probe.kind) {
    case 'connected':
      if (probe.alpn === 'h2')
        return [healthy(check, `${host}:${port} responds with HTTP/2 and a trusted certificate`)];
      return problem(
        `${at} does not speak HTTP/2`,
        'let the load balancer pass TCP through, or enable HTTP/2 (ALPN h2) on it',
      );
    case 'certificate rejected':
      return problem(
        `${at}: the certificate is not accepted (${probe.why})`,
        `add ${host} to the names of the API server certificate (kubeadm: apiServer.certSANs), or use a name that it has`,
      );
    case 'unknown name':
      return problem(
        `${at}: the name does not resolve on this computer (${probe.why})`,
        'correct the name, or add it to DNS',
      );
    case 'unreachable':
      return [
        unknown(
          check,
          `${at} is unreachable from this computer (${probe.why}); check it from a Mac: nc -vz ${host} ${port}`,
        ),
      ];
  }
}

function checkImages({ images }: ValueNeeds): Diagnosis[] {
  const findings = images
    .filter(({ unpublished }) => unpublished)
    .map(
      ({ path, image }): DoctorFinding => ({
        what: `${path}: no public registry has the image ${image}`,
        impact: 'the Pods end in ImagePullBackOff',
        fix: 'build and push the images with node scripts/build-containers.ts, then set imageRegistry',
      }),
    );
  const ok = images.map(({ image, pinned }) => `${image}${pinned ? '' : ' (not pinned by digest)'}`).join(', ');
  return toDiagnoses({ check: 'images', ok: ok || 'no program is enabled', unreadable: [], findings });
}

function checkSecrets({ secrets: expected }: ValueNeeds, facts: PreflightFacts): Diagnosis[] {
  const isThere = (namespace: string) => facts.namespaces.items.some(({ metadata }) => metadata.name === namespace);
  const later: string[] = [];
  const unreadableItems: string[] = [];
  const findings = expected.flatMap((secret): DoctorFinding[] => {
    const name = `${secret.namespace}/${secret.name}`;
    const found = facts.secrets.get(name);
    if (found === 'forbidden') {
      unreadableItems.push(`you are not allowed to get Secret ${name}`);
      return [];
    }
    if (!found && secret.inChartNamespace && !isThere(secret.namespace)) {
      later.push(`create ${name} after the installation, which creates the namespace`);
      return [];
    }
    const missing = found ? secret.keys.filter(key => !found.data?.[key]) : secret.keys;
    if (found && missing.length === 0) return [];
    const first = isThere(secret.namespace) ? '' : `kubectl create namespace ${secret.namespace} && `;
    return [found ? incompleteSecret(secret, missing) : missingSecret(secret, first)];
  });
  const ok = later.length > 0 ? later.join('; ') : counted(expected.length, 'Secret');
  return toDiagnoses({ check: 'Secrets', ok, unreadable: [], unreadableItems, findings });
}

const IMPACT = 'the program that needs it does not start or cannot work';

function missingSecret({ namespace, name, keys, by }: ExpectedSecret, first: string): DoctorFinding {
  const create =
    keys.length === 0
      ? `kubectl create secret docker-registry ${name} -n ${namespace} --docker-server=… --docker-username=… --docker-password=…`
      : `kubectl create secret generic ${name} -n ${namespace}${keys.map(key => ` --from-literal=${key}=…`).join('')}`;
  return { what: `Secret ${namespace}/${name} does not exist (${by})`, impact: IMPACT, fix: `${first}${create}` };
}

const incompleteSecret = ({ namespace, name, by }: ExpectedSecret, missing: readonly string[]): DoctorFinding => ({
  what: `Secret ${namespace}/${name} has no key ${missing.join(', ')} (${by})`,
  impact: IMPACT,
  fix: `kubectl edit secret ${name} -n ${namespace}`,
});

const EXTERNAL_SECRETS = { crd: 'externalsecrets.external-secrets.io', version: 'v1' };
const MONITORING = { crd: 'prometheusrules.monitoring.coreos.com', version: 'v1' };

/** The operators are optional: a row appears only if the values need them. */
function checkOperators(needs: ValueNeeds, { definitions }: PreflightFacts): Diagnosis[] {
  const row = (check: string, needed: boolean, of: typeof MONITORING, fix: string): Diagnosis[] => {
    if (!needed) return [];
    const findings: DoctorFinding[] = serves(definitions.items, of)
      ? []
      : [{ what: `${of.crd} is not served in ${of.version}`, impact: 'helm refuses to install the chart', fix }];
    return toDiagnoses({ check, ok: 'installed', unreadable: [definitions.unreadable], findings });
  };
  return [
    ...row(
      'External Secrets',
      needs.externalSecrets,
      EXTERNAL_SECRETS,
      'install the External Secrets Operator, or use another source than external',
    ),
    ...row('Prometheus', needs.monitoring, MONITORING, 'install the Prometheus Operator, or unset monitoring.enabled'),
  ];
}

const serves = (
  definitions: readonly CustomResourceDefinition[],
  { crd, version }: { readonly crd: string; readonly version: string },
): boolean =>
  definitions.some(
    ({ metadata, spec }) =>
      metadata.name === crd && spec?.versions.some(({ name, served }) => name === version && served),
  );
