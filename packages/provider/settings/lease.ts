/** The previous system uses the same name, so that the two generations of the provider never work at the same time. */
export const PROVIDER_LEASE = 'scaleway-applesilicon.infrastructure.cluster.x-k8s.io';
