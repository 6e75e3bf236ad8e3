/** Internals of packages/local-cluster/pki that tests, benchmarks and generators of other packages use. */
export { createCertificateAuthority } from '../pki/certificate-authority.ts';
