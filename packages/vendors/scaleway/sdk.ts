import type { Secret } from '@minifleet/secret';
import { Applesiliconv1alpha1 } from '@scaleway/sdk-applesilicon';
import { createAdvancedClient, withHTTPClient, withProfile } from '@scaleway/sdk-client';
import { Iamv1alpha1 } from '@scaleway/sdk-iam';
import { VENDOR_REFUSED } from '../errors.ts';
import { SCALEWAY } from './judge-failure.ts';

export interface ScalewayCredentials {
  readonly accessKey: string;
  readonly secretKey: Secret;
  readonly projectId: string;
  /** (default: the public API) */
  readonly apiUrl?: string | undefined;
}

/** Official API clients for one request. */
export interface Sdk {
  readonly servers: Applesiliconv1alpha1.API;
  readonly iam: Iamv1alpha1.API;
}

/** The SDK accepts no signal, so each request gets its own clients. They cost a few objects and no connection. */
export function openSdk(credentials: ScalewayCredentials): (signal: AbortSignal) => Sdk {
  check(credentials);
  const { accessKey, secretKey, projectId, apiUrl } = credentials;
  return signal => {
    const client = createAdvancedClient(
      withProfile({
        accessKey,
        secretKey: secretKey.reveal().toString(),
        defaultProjectId: projectId,
        ...(apiUrl !== undefined && { apiURL: apiUrl.replace(/\/+$/, '') }),
      }),
      withHTTPClient(request => fetch(request, { signal })),
    );
    return { servers: new Applesiliconv1alpha1.API(client), iam: new Iamv1alpha1.API(client) };
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Checks before the SDK does: the SDK shows a malformed secret in its error, and sends requests without an empty one. */
function check({ accessKey, secretKey, projectId }: ScalewayCredentials): void {
  const problem = [
    /^SCW[A-Z0-9]{17}$/i.test(accessKey) ? [] : ['the access key is not of the form SCWXXXXXXXXXXXXXXXXX'],
    UUID.test(secretKey.reveal().toString()) ? [] : ['the secret key is not a UUID'],
    UUID.test(projectId) ? [] : ['the project id is not a UUID'],
  ].flat();
  if (problem.length > 0) throw VENDOR_REFUSED({ vendor: SCALEWAY, call: 'every call', why: problem.join('; ') });
}
