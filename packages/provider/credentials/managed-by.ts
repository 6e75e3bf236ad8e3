/** On every Secret of ours. */
export const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'minifleet' } as const;
