/** Label of all Secrets that the provider creates. */
export const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'minifleet' } as const;
