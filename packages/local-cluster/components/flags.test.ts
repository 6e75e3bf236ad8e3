import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planForTests } from '../testing/plan-for-tests.ts';
import { capiCore } from './capi-core.ts';
import { commandLine, type Flags } from './component.ts';
import { etcd } from './etcd.ts';
import { kubeApiserver } from './kube-apiserver.ts';
import { kubeControllerManager } from './kube-controller-manager.ts';
import { kubeScheduler } from './kube-scheduler.ts';
import { metricsServer } from './metrics-server.ts';

const plan = planForTests();

function has(flags: Flags, expected: Flags) {
  for (const [name, value] of Object.entries(expected)) assert.equal(flags[name], value, name);
}

test('flags: the API server has the Node authorizer and accepts bootstrap tokens', () => {
  has(kubeApiserver.flags(plan), {
    'authorization-mode': 'Node,RBAC',
    'enable-admission-plugins': 'NodeRestriction',
    'enable-bootstrap-token-auth': 'true',
    'kubelet-preferred-address-types': 'InternalIP,Hostname',
  });
});

test('flags: the API server can serve aggregated APIs, also on loopback', () => {
  assert.equal(kubeApiserver.flags(plan)['enable-aggregator-routing'], undefined);
  has(kubeApiserver.flags(plan), {
    'requestheader-allowed-names': 'front-proxy-client',
    'requestheader-username-headers': 'X-Remote-User',
    'requestheader-group-headers': 'X-Remote-Group',
    'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
  });
});

test('flags: the API server listens outside loopback only with serverAddresses', () => {
  has(kubeApiserver.flags(plan), { 'bind-address': '127.0.0.1' });
  has(kubeApiserver.flags({ ...plan, serverAddresses: ['198.18.1.1'] }), {
    'bind-address': '0.0.0.0',
    'advertise-address': '198.18.1.1',
  });
});

test('flags: without a controller manager Pods need no service account', () => {
  assert.equal(kubeApiserver.flags(plan)['disable-admission-plugins'], undefined);
  const minimal = kubeApiserver.flags({ ...plan, components: ['etcd', 'kube-apiserver'] });
  assert.equal(minimal['disable-admission-plugins'], 'ServiceAccount');
});

test('flags: the controller manager signs certificates and runs the token controllers', () => {
  const flags = kubeControllerManager.flags(plan);
  assert.equal(flags['controllers'], '*,bootstrapsigner,tokencleaner');
  assert.match(flags['cluster-signing-key-file'] ?? '', /cluster-ca\.key$/);
  assert.equal(flags['use-service-account-credentials'], 'true');
});

test('flags: metrics-server uses the API server’s kubelet addresses and verifies kubelet certificates', () => {
  const flags = metricsServer.flags(plan);
  has(flags, {
    'kubelet-preferred-address-types': kubeApiserver.flags(plan)['kubelet-preferred-address-types'] ?? '',
    'kubelet-certificate-authority': '/cluster/pki/cluster-ca.crt',
    'kubelet-use-node-status-port': 'true',
  });
  assert.equal(flags['kubelet-insecure-tls'], undefined);
});

test('flags: etcd requires a client certificate of its own authority', () => {
  has(etcd.flags(plan), { 'client-cert-auth': 'true', 'peer-client-cert-auth': 'true' });
  assert.match(etcd.flags(plan)['trusted-ca-file'] ?? '', /etcd-ca\.crt$/);
});

test('flags: only the webhooks of Cluster API listen outside loopback', () => {
  const listening = [etcd, kubeApiserver, kubeControllerManager, kubeScheduler, capiCore, metricsServer].flatMap(
    definition =>
      Object.entries(definition.flags(plan)).filter(([name]) =>
        /^(bind-address|listen-.*-urls|health-addr|diagnostics-address)$/.test(name),
      ),
  );
  assert.equal(listening.length, 8);
  for (const [name, value] of listening) assert.match(value, /127\.0\.0\.1/, name);
});

test('flags: flags become arguments', () => {
  assert.deepEqual(commandLine({ v: '0', 'secure-port': '1' }), ['--v=0', '--secure-port=1']);
});
