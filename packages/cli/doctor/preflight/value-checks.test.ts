import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type ChartValues, mergeValues, needsOf, readChartValues } from './chart-values.ts';
import type { PreflightFacts } from './preflight-facts.ts';
import type { EndpointProbe } from './probe-endpoint.ts';
import { checkValues } from './value-checks.ts';

const SYSTEM = 'minifleet-system';
const example = (name: string): string =>
  fileURLToPath(new URL(`../../../../docs/examples/own-cluster-${name}.values.yaml`, import.meta.url));

const connected: EndpointProbe = { kind: 'connected', alpn: 'h2' };
const nothing = { items: [] };
const facts = {
  definitions: nothing,
  namespaces: { items: [{ metadata: { name: 'tuist-runners' } }] },
  secrets: new Map(),
} as unknown as PreflightFacts;

const defaults = await readChartValues([]);
const needs = (values: object) =>
  needsOf(mergeValues({ ...defaults }, { ...values }) as unknown as ChartValues, SYSTEM);
const fleet = {
  imageRegistry: 'ghcr.io/acme',
  cluster: { controlPlaneEndpoint: { host: 'kube.example.com' } },
  runnersFleet: { enabled: true },
};
const rows = (values: object, found: PreflightFacts = facts, probe: EndpointProbe | undefined = connected) =>
  checkValues(needs(values), found, probe);
const row = (check: string, ...given: Parameters<typeof rows>) => {
  const found = rows(...given).find(each => each.check === check);
  assert.ok(found, check);
  return found;
};

test('the examples of docs/your-own-cluster.md need exactly the Secrets that the page creates', async () => {
  const secretsOf = async (name: string) =>
    needsOf(await readChartValues([example(name)]), SYSTEM).secrets.map(one => `${one.namespace}/${one.name}`);
  assert.deepEqual(await secretsOf('owned'), ['tuist-runners/github-app']);
  assert.deepEqual(await secretsOf('scaleway'), [`${SYSTEM}/scaleway`, 'tuist-runners/github-app']);
});

test('a values file that is no YAML map is a usage error with the name of the file', async () => {
  await assert.rejects(readChartValues(['/no/values.yaml']), /values file \/no\/values\.yaml: ENOENT/);
});

describe('preflight of the endpoint', () => {
  for (const [what, probe, state, message, fix] of [
    ['with HTTP/2 is ok', connected, 'ok', /responds with HTTP\/2/, /^$/],
    [
      'without HTTP/2 is a problem',
      { kind: 'connected', alpn: 'http/1.1' },
      'problem',
      /no.* HTTP\/2|not speak HTTP\/2/,
      /ALPN h2/,
    ],
    [
      'with a certificate for another name is a problem',
      { kind: 'certificate rejected', why: 'ERR_TLS_CERT_ALTNAME_INVALID' },
      'problem',
      /the certificate is not accepted/,
      /certSANs/,
    ],
    [
      'with an unknown name is a problem',
      { kind: 'unknown name', why: 'ENOTFOUND' },
      'problem',
      /does not resolve/,
      /DNS/,
    ],
    [
      'that this computer cannot reach is unknown, because the Macs may reach it',
      { kind: 'unreachable', why: 'ETIMEDOUT' },
      'unknown',
      /check it from a Mac: nc -vz kube\.example\.com 6443/,
      /^$/,
    ],
  ] as const) {
    test(`an endpoint ${what}`, () => {
      const found = row('endpoint', fleet, facts, probe);
      assert.equal(found.state, state);
      assert.match(found.message, message);
      assert.match(found.fix ?? '', fix);
    });
  }

  test('a fleet without an endpoint is a problem, and without a fleet none is needed', () => {
    assert.match(row('endpoint', { runnersFleet: { enabled: true } }).message, /host is empty, but runnersFleet/);
    assert.equal(row('endpoint', {}).state, 'ok');
  });
});

describe('preflight of images', () => {
  test('images without a registry are a problem for each program', () => {
    const found = rows({}).filter(({ check }) => check === 'images');
    assert.deepEqual(
      found.map(({ state, message }) => [state, message]),
      [
        ['problem', 'provider: no public registry has the image minifleet-provider'],
        ['problem', 'runners: no public registry has the image minifleet-runners'],
      ],
    );
  });

  test('an image without a digest is reported as not pinned', () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    const { state, message } = row('images', { ...fleet, provider: { image: { digest } } });
    assert.equal(state, 'ok');
    assert.equal(
      message,
      `ghcr.io/acme/minifleet-provider@${digest}, ghcr.io/acme/minifleet-runners (not pinned by digest)`,
    );
  });
});

describe('preflight of Secrets', () => {
  const scaleway = { ...fleet, scaleway: { enabled: true, secret: { name: 'scaleway' } } };
  const secret = (keys: readonly string[]) => ({ data: Object.fromEntries(keys.map(key => [key, 'eA=='])) });
  const given = (entries: Readonly<Record<string, unknown>>): PreflightFacts => ({
    ...facts,
    secrets: new Map(Object.entries(entries)) as never,
  });

  test('a missing Secret is a problem with the command that creates it', () => {
    const { state, message, fix } = row('Secrets', scaleway);
    assert.equal(state, 'problem');
    assert.equal(message, `Secret ${SYSTEM}/scaleway does not exist (scaleway.secret)`);
    const create = 'kubectl create secret generic scaleway -n minifleet-system --from-literal=access-key=…';
    assert.ok((fix ?? '').startsWith(`kubectl create namespace minifleet-system && ${create}`), fix ?? '');
    const namespaces = { items: [{ metadata: { name: SYSTEM } }] };
    const installed = { ...facts, namespaces } as unknown as PreflightFacts;
    assert.ok(row('Secrets', scaleway, installed).fix?.startsWith(create));
  });

  test('a Secret without a key is a problem that names the key', () => {
    const found = row('Secrets', scaleway, given({ [`${SYSTEM}/scaleway`]: secret(['access-key', 'secret-key']) }));
    assert.match(found.message, /has no key project-id/);
  });

  test('a missing image pull secret is a problem with the command that creates it', () => {
    const found = row('Secrets', { ...fleet, imagePullSecrets: [{ name: 'registry' }] });
    assert.match(found.fix ?? '', /kubectl create secret docker-registry registry -n minifleet-system/);
  });

  test('a Secret that the user may not read is unknown', () => {
    const found = row('Secrets', scaleway, given({ [`${SYSTEM}/scaleway`]: 'forbidden' }));
    assert.deepEqual([found.state, found.message], ['unknown', `you are not allowed to get Secret ${SYSTEM}/scaleway`]);
  });

  test('the Secret of the runner pools is created after the chart, which creates its namespace', () => {
    const pools = { ...fleet, runnerPools: { account: 'acme', pools: { a: { image: 'x' } } } };
    const found = row('Secrets', pools, { ...facts, namespaces: nothing });
    assert.deepEqual(
      [found.state, found.message],
      ['ok', 'create tuist-runners/minifleet-runners-gh-app after the installation, which creates the namespace'],
    );
    assert.equal(row('Secrets', pools).state, 'problem', 'the namespace exists, the Secret does not');
  });

  test('builders need the Secret of their GitHub App, unless the operator of External Secrets creates it', () => {
    const builders = (githubApp: object) => ({
      ...fleet,
      buildersFleet: { enabled: true, name: 'builders', ghActionsRunner: { githubApp } },
    });
    assert.match(row('Secrets', builders({})).message, /minifleet-system\/builders-gh-app does not exist/);
    assert.equal(row('Secrets', builders({ source: 'external' })).state, 'ok');
  });
});

describe('preflight of operators', () => {
  const crd = (name: string) => ({ metadata: { name }, spec: { versions: [{ name: 'v1', served: true }] } });
  const external = { ...fleet, cluster: { ...fleet.cluster, kubeconfig: { source: 'external' } } };

  test('operators are checked only if the values need them', () => {
    const checks = rows(fleet).map(({ check }) => check);
    assert.deepEqual(checks, ['endpoint', 'images', 'Secrets']);
  });

  test('a missing operator that the values need is a problem, and an installed one is ok', () => {
    const values = { ...external, monitoring: { enabled: true } };
    assert.match(row('External Secrets', values).message, /externalsecrets\.external-secrets\.io is not served in v1/);
    assert.equal(row('Prometheus', values).state, 'problem');
    const definitions = {
      items: [crd('externalsecrets.external-secrets.io'), crd('prometheusrules.monitoring.coreos.com')],
    };
    const installed = { ...facts, definitions } as unknown as PreflightFacts;
    assert.equal(row('External Secrets', values, installed).state, 'ok');
    assert.equal(row('Prometheus', values, installed).state, 'ok');
  });
});
