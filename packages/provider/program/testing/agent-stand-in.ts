import { names } from '@minifleet/api';
import { pause, seconds } from '@minifleet/clock';
import {
  type CertificateSigningRequest,
  type Client,
  certificateSigningRequests,
  type Node,
  nodes,
  secrets,
} from '@minifleet/kube';
import { root } from '@minifleet/world/mac';
import type { MacPart, Run } from '@minifleet/world/testing/mac';

import { textIn } from '../../credentials/edit-secret.ts';
import { tokenKey } from '../../join/bootstrap-token.ts';
import { clientSpec, newRequest, servingSpec } from '../../join/testing/requests.ts';

/** Marker text that every simulated agent program contains. */
export const AGENT = 'agent that stands in';

const LOOK_EVERY = seconds(5);

/** State of an agent besides its command line. A reinstallation of the Mac clears it. */
export interface Enrolment {
  readonly address: string;
  certified: boolean;
  /** Requests so far: one that was denied is followed by another. */
  requests: { client: number; serving: number };
}

/** An agent as far as the provider sees one: it asks for its certificates, registers its Node, and registers it again. */
export const agentPart =
  (client: Client, enrolment: Enrolment): MacPart =>
  () => ({
    load: ({ content }) =>
      content.includes(AGENT)
        ? async run => {
            while (!run.signal.aborted) {
              await join(client, run, enrolment);
              await pause(run.mac.around.clock, LOOK_EVERY, run.signal);
            }
            return 0;
          }
        : undefined,
  });

async function join(client: Client, run: Run, enrolment: Enrolment): Promise<void> {
  const node = flag(run, 'node-name');
  if (!enrolment.certified) await askToJoin(client, run, enrolment);
  if (!enrolment.certified || run.signal.aborted) return;
  if (!(await client.find(nodes, { name: node }))) await register(client, node, flag(run, 'provider-id'));
  const asked = `serving-${node}-${enrolment.address}-${enrolment.requests.serving}`;
  const request = await client.find(certificateSigningRequests, { name: asked });
  if (request && !isDenied(request)) return;
  const spec = servingSpec(node, [node, enrolment.address]);
  enrolment.requests.serving += 1;
  const name = `serving-${node}-${enrolment.address}-${enrolment.requests.serving}`;
  await client.create(certificateSigningRequests, newRequest(name, spec));
}

/** With the token that lies on the Mac, if the API server knows it. */
async function askToJoin(client: Client, run: Run, enrolment: Enrolment): Promise<void> {
  const node = flag(run, 'node-name');
  const name = `client-${node}-${enrolment.address}-${enrolment.requests.client}`;
  const request = await client.find(certificateSigningRequests, { name });
  enrolment.certified = request !== undefined && isApproved(request);
  if (request && !isDenied(request)) return;
  const tokenId = await knownToken(client, run);
  if (tokenId === undefined) return;
  enrolment.requests.client += 1;
  const next = `client-${node}-${enrolment.address}-${enrolment.requests.client}`;
  await client.create(certificateSigningRequests, newRequest(next, clientSpec(node, tokenId)));
}

async function knownToken(client: Client, run: Run): Promise<string | undefined> {
  const text = run.mac.files.read(root, flag(run, 'kubeconfig')).toString();
  const [, id = '', secret = ''] = /"token": "(\w+)\.(\w+)"/.exec(text) ?? [];
  const kept = id === '' ? undefined : await client.find(secrets, tokenKey(id));
  if (!kept || textIn(kept, 'token-secret') !== secret) return undefined;
  return Date.parse(textIn(kept, 'expiration') ?? '') > run.mac.around.clock.now() ? id : undefined;
}

async function register(client: Client, name: string, providerID: string): Promise<void> {
  const status = { conditions: [{ type: 'Ready', status: 'True' }] };
  const labels = { [names.labels.agentVersion]: '1.0.0' };
  await client.create(nodes, { metadata: { name, labels }, spec: { providerID } } as Partial<Node> as Node);
  await client.patch(nodes, { name }, { type: 'merge', body: { status } }, { subresource: 'status' });
}

const flag = ({ argv }: Run, name: string): string =>
  argv.find(word => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? '';

const isDenied = ({ status }: CertificateSigningRequest): boolean => has(status, 'Denied');
const isApproved = ({ status }: CertificateSigningRequest): boolean => has(status, 'Approved');
const has = (status: CertificateSigningRequest['status'], wanted: string): boolean =>
  status?.conditions?.some(({ type }) => type === wanted) ?? false;
