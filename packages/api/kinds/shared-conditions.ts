/** Conditions that mean the same on every kind. */
export const pausedCondition = {
  meaning: 'Nothing is changed because someone paused this object or its Cluster.',
  reasons: {
    Paused: 'Paused by spec.paused of the Cluster or by the annotation cluster.x-k8s.io/paused; remove it to go on.',
    NotPaused: 'Neither the Cluster nor this object is paused.',
  },
} as const;

/** Reasons any phase may end with when the cause is ours and not the user's. */
export const unexpected = {
  InternalError: 'Something unexpected went wrong; the controller log has the cause under the same reconcile id.',
} as const;
