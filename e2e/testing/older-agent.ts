/** Substitute for the agent of the older system: starts VMs that outlive it, and reports its Node with the token of a ServiceAccount. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';

const flag = (name: string): string =>
  process.argv.flatMap(word => (word.startsWith(`--${name}=`) ? [word.slice(name.length + 3)] : []))[0] ?? '';

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } },
  ];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}
const { clusters, users } = JSON.parse(readFileSync(flag('kubeconfig'), 'utf8')) as Kubeconfig;
const { server, 'certificate-authority-data': ca } = clusters[0].cluster;

const timestamp = (): string => new Date().toISOString().replace(/\.\d+/, '');
const lastTransitionTime = timestamp();

function report(): void {
  const times = { lastHeartbeatTime: timestamp(), lastTransitionTime };
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', ...times };
  const headers = {
    authorization: `Bearer ${users[0].user.token}`,
    'content-type': 'application/strategic-merge-patch+json',
  };
  const call = request(`${server}/api/v1/nodes/${flag('node-name')}/status`, {
    ...{ method: 'PATCH', ca: Buffer.from(ca, 'base64'), headers },
  });
  call.on('error', () => undefined).on('response', response => response.resume());
  call.end(JSON.stringify({ status: { conditions: [ready] } }));
}

for (const vm of flag('vms').split('+').filter(Boolean))
  spawn(flag('tart'), ['run', vm, '--no-graphics'], { detached: true, stdio: 'ignore' }).unref();
report();
setInterval(report, 2_000);
