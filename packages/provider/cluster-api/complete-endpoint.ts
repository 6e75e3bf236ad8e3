import type { ApiEndpoint } from '@minifleet/api';

/** Cluster API writes an empty host and port 0 for an unknown endpoint. */
export const isCompleteEndpoint = (endpoint: Partial<ApiEndpoint> | undefined): endpoint is Required<ApiEndpoint> =>
  Boolean(endpoint?.host && endpoint.port);
