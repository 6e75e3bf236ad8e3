/** Requests the readiness of a component over HTTPS. */
import { createHttpsClient } from '../https-client.ts';
import type { KeyPair } from '../pki/certificate-authority.ts';

type ReadinessQuestion = { url: string; certificateAuthority: string; client?: KeyPair };

const ANSWER_WITHIN = 2_000;

export async function answersOk({ url, certificateAuthority, client }: ReadinessQuestion): Promise<boolean> {
  const identity = client && { clientCertificate: client.certificate, clientKey: client.privateKey };
  const https = createHttpsClient(url, { certificateAuthority, ...identity });
  try {
    const { status } = await https.request('', { timeout: ANSWER_WITHIN });
    return status === 200;
  } finally {
    https.close();
  }
}
