import { type Finding, fails, holds } from '../node/finding.ts';

/** How it stands with one of our certificates. */
export interface CertificateView {
  /** Valid now. */
  readonly valid: boolean;
  /** The request somebody has to approve. */
  readonly waitingFor?: string | undefined;
  /** Why the last try came to nothing; gone with the next success. */
  readonly trouble?: CertificateTrouble | undefined;
}

export interface CertificateTrouble {
  readonly reason: string;
  readonly message: string;
}

/** The condition CertificatesReady. A renewal that fails is told while there is still time. */
export function certificateFinding(client: CertificateView, serving: CertificateView): Finding {
  for (const [which, view] of [
    ['client', client],
    ['serving', serving],
  ] as const) {
    if (view.valid) continue;
    if (view.trouble) return fails(view.trouble.reason, `no ${which} certificate: ${view.trouble.message}`);
    if (view.waitingFor)
      return fails('WaitingForApproval', `no ${which} certificate: ${view.waitingFor} waits for approval`);
    return fails('NoCertificate', `no ${which} certificate yet`);
  }
  const trouble = client.trouble ?? serving.trouble;
  if (trouble) return holds('RenewalFails', `certificates are valid, but cannot be renewed: ${trouble.message}`);
  return holds('CertificatesValid', 'client and serving certificate are valid');
}
