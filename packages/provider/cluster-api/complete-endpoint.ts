import type { ApiEndpoint } from '@minifleet/api';

/** Core writes an empty host and port 0 where it knows none. */
export const isCompleteEndpoint = (endpoint: Partial<ApiEndpoint> | undefined): endpoint is Required<ApiEndpoint> =>
  Boolean(endpoint?.host && endpoint.port);
