export { type CertificateFields, signCertificate } from './certificate.ts';
export { readCertificateRequest, writeCertificateRequest } from './certificate-request.ts';
export { type CertificateNames, canonicalAddress, type DistinguishedName } from './names.ts';
