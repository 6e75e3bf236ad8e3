import { X509Certificate } from 'node:crypto';
import { parse } from 'yaml';

interface KubeconfigUser {
  readonly token?: string;
  readonly 'client-certificate-data'?: string;
}

/** When the credentials in a kubeconfig end, in milliseconds since 1970; undefined when they do not, or nobody can say. */
export function credentialExpiry(kubeconfig: string): number | undefined {
  try {
    const { users = [] } = parse(kubeconfig) as { users?: readonly { readonly user?: KubeconfigUser }[] };
    const ends = users.flatMap(({ user = {} }) => [
      endOfToken(user.token),
      endOfCertificate(user['client-certificate-data']),
    ]);
    return ends.filter(end => end !== undefined).toSorted((a, b) => a - b)[0];
  } catch {
    return undefined;
  }
}

/** Of a service account's token, which says so itself. */
function endOfToken(token: string | undefined): number | undefined {
  const payload = token?.split('.')[1];
  if (payload === undefined) return undefined;
  const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { exp?: number };
  return exp === undefined ? undefined : exp * 1_000;
}

const endOfCertificate = (data: string | undefined): number | undefined =>
  data === undefined ? undefined : new X509Certificate(Buffer.from(data, 'base64')).validToDate.getTime();
