import { seconds } from '@minifleet/clock';
import { HOST_IDENTITY_CHANGED, type SshTransportOptions, type Transport } from '@minifleet/host';
import type { Prompts } from '../context.ts';
import { abortError } from '../stop.ts';
import { HOST_KEY_NOT_TRUSTED, HOST_KEY_UNKNOWN } from './errors.ts';
import type { KnownHosts } from './known-hosts.ts';

export type TransportHostKey = SshTransportOptions['hostKey'];

export interface HostKeyInput {
  /** `203.0.113.7:22`. */
  readonly hostPort: string;
  /** From the command line: it goes before what we remember. */
  readonly pinned: string | undefined;
  readonly acceptNew: boolean;
  readonly knownHosts: KnownHosts;
  readonly prompts: Prompts | undefined;
  /** Opens a connection under a policy. */
  readonly open: (policy: TransportHostKey) => Transport;
}

export interface HostKeyChoice {
  readonly policy: TransportHostKey;
  /** Whether the key is new and to be kept once the host has proven it. */
  readonly remember: boolean;
}

/** Who the host must prove to be. A host never met before is trusted only because someone says so. */
export async function chooseHostKey(question: HostKeyInput): Promise<HostKeyChoice> {
  const { hostPort, pinned, acceptNew, knownHosts, prompts } = question;
  if (pinned !== undefined) return { policy: { pinned }, remember: false };
  const known = await knownHosts.find(hostPort);
  if (known !== undefined) return { policy: { pinned: known.fingerprint }, remember: false };
  if (acceptNew) return { policy: { firstContact: 'accept' }, remember: true };
  const seen = await askHost(question);
  const values = { address: hostPort, seen };
  if (prompts === undefined) throw HOST_KEY_UNKNOWN(values);
  const trusted = await prompts.confirm(`${hostPort} was never met from here. Its host key is ${seen}. Is that right?`);
  if (trusted === undefined) throw abortError();
  if (!trusted) throw HOST_KEY_NOT_TRUSTED(values);
  return { policy: { pinned: seen }, remember: true };
}

/** No key has this fingerprint: whatever the host shows is refused, before any key of ours is offered to it. */
const NOBODY = `SHA256:${'A'.repeat(43)}`;

async function askHost({ open, hostPort }: HostKeyInput): Promise<string> {
  const transport = open({ pinned: NOBODY });
  try {
    const outcome = await transport.run({ argv: ['/usr/bin/true'], deadline: seconds(30) });
    if (outcome.kind !== 'unreached') throw new Error(`${hostPort} shows no host key`);
    const { error } = outcome;
    const seen = error.code === HOST_IDENTITY_CHANGED.code ? /SHA256:[\w+/]{43}/.exec(error.message)?.[0] : undefined;
    if (seen === undefined) throw error;
    return seen;
  } finally {
    await transport.close();
  }
}
