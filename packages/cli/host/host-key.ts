import { seconds } from '@minifleet/clock';
import { HOST_IDENTITY_CHANGED, type HostTransport, type SshTransportOptions } from '@minifleet/host';
import type { Prompts } from '../context.ts';
import { abortError } from '../stop.ts';
import { HOST_KEY_NOT_TRUSTED, HOST_KEY_UNKNOWN } from './errors.ts';
import type { KnownHosts } from './known-hosts.ts';

type TransportHostKey = SshTransportOptions['hostKey'];

interface HostKeyInput {
  /** `203.0.113.7:22`. */
  readonly hostPort: string;
  /** Fingerprint from the command line. It takes precedence over the known_hosts file. */
  readonly pinned: string | undefined;
  readonly acceptNew: boolean;
  readonly knownHosts: KnownHosts;
  readonly prompts: Prompts | undefined;
  /** Opens a connection under a policy. */
  readonly open: (policy: TransportHostKey) => HostTransport;
}

interface HostKeyChoice {
  readonly policy: TransportHostKey;
  /** True if the key is new. It is saved after the first successful connection. */
  readonly remember: boolean;
}

/** Chooses the host key that the host must prove. An unknown host is trusted only if the user confirms it. */
export async function chooseHostKey(question: HostKeyInput): Promise<HostKeyChoice> {
  const { hostPort, pinned, acceptNew, knownHosts, prompts } = question;
  if (pinned !== undefined) return { policy: { pinned }, remember: false };
  const known = await knownHosts.find(hostPort);
  if (known !== undefined) return { policy: { pinned: known.fingerprint }, remember: false };
  if (acceptNew) return { policy: { firstContact: 'accept' }, remember: true };
  const seen = await askHost(question);
  const values = { address: hostPort, seen };
  if (prompts === undefined) throw HOST_KEY_UNKNOWN(values);
  const trusted = await prompts.confirm(`First connection to ${hostPort}. Its host key is ${seen}. Trust it?`);
  if (trusted === undefined) throw abortError();
  if (!trusted) throw HOST_KEY_NOT_TRUSTED(values);
  return { policy: { pinned: seen }, remember: true };
}

/** Fingerprint that no key has: the connection is refused before any user key is offered to the host. */
const UNMATCHABLE = `SHA256:${'A'.repeat(43)}`;

async function askHost({ open, hostPort }: HostKeyInput): Promise<string> {
  const transport = open({ pinned: UNMATCHABLE });
  try {
    const outcome = await transport.run({ argv: ['/usr/bin/true'], deadline: seconds(30) });
    if (outcome.kind !== 'unreached') throw new Error(`${hostPort}: the host sent no host key`);
    const { error } = outcome;
    const seen = error.code === HOST_IDENTITY_CHANGED.code ? /SHA256:[\w+/]{43}/.exec(error.message)?.[0] : undefined;
    if (seen === undefined) throw error;
    return seen;
  } finally {
    await transport.close();
  }
}
