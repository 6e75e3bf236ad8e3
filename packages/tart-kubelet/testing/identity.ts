/** Internals of packages/tart-kubelet/identity that tests, benchmarks and generators of other packages use. */
export { type NodeCredential, newPrivateKey } from '../identity/certificate-store.ts';
export { type CertificateTerms, certificateRequest, clientTerms, servingTerms } from '../identity/certificate-terms.ts';
export { createIdentity, type IdentityOptions } from '../identity/node-identity.ts';
export { clusterOf } from '../identity/node-kubeconfig.ts';
export { requestCertificate } from '../identity/request-certificate.ts';
export { approveServing, bootstrapText, createBootstrapToken } from '../identity/testing/joining.ts';
