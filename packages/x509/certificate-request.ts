/** Writes and reads certificate signing requests (PKCS #10, RFC 2986). */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { publicKeyInfo, signedPem } from './certificate.ts';
import * as der from './der.ts';
import {
  ALTERNATIVE_NAMES,
  alternativeNamesExtension,
  type CertificateNames,
  decodeAlternativeNames,
  decodeSubject,
  encodeSubject,
} from './names.ts';

const LABEL = 'CERTIFICATE REQUEST';
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const VERSION_1 = der.integer(Buffer.from([0]));
const ONE_REQUEST = /^\s*-----BEGIN CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE REQUEST-----\s*$/;

/** Returns the request in PEM, signed with the ECDSA private key (PEM). */
export function writeCertificateRequest(names: CertificateNames, privateKey: string): string {
  const key = createPrivateKey(privateKey);
  const extension = alternativeNamesExtension(names);
  const attributes = extension
    ? [der.sequence(der.objectIdentifier(EXTENSION_REQUEST), der.set(der.sequence(extension)))]
    : [];
  const content = der.sequence(
    VERSION_1,
    encodeSubject(names),
    publicKeyInfo(createPublicKey(key)),
    der.explicit(0, ...attributes),
  );
  return signedPem(LABEL, content, key);
}

/**
 * Reads the names out of `spec.request` of a CertificateSigningRequest (base64 of PEM). The signer parses the request with another
 * parser, so everything that two parsers could read differently makes it unreadable: names of another type, repeated values, and
 * parts that no kubelet sends. The signature is not checked here: the API server checks it when the object is created.
 */
export function readCertificateRequest(encoded: string): CertificateNames | { readonly unreadable: string } {
  try {
    const [, text] = ONE_REQUEST.exec(Buffer.from(encoded, 'base64').toString('latin1')) ?? [];
    if (text === undefined) throw new der.DerError(`not exactly one PEM block of type ${LABEL}`);
    const [content] = der.childrenOf(der.only(der.decodeAll(Buffer.from(text, 'base64'))), der.TAGS.sequence);
    const [, subject, , attributes] = der.childrenOf(content, der.TAGS.sequence);
    return { ...decodeSubject(subject), ...decodeAlternativeNames(requestedNames(attributes)) };
  } catch (error) {
    if (error instanceof der.DerError) return { unreadable: error.message };
    throw error;
  }
}

/** Finds the alternative names: in one extension, in a sequence of extensions, in the attribute that requests extensions. */
function requestedNames(attributes: der.DerValue | undefined): der.DerValue[] {
  const list = attributes === undefined ? [] : der.childrenOf(attributes, der.TAGS.explicit(0));
  if (list.length === 0) return [];
  const [type, values] = der.childrenOf(der.only(list), der.TAGS.sequence);
  const attribute = der.dottedIdentifier(type);
  if (attribute !== EXTENSION_REQUEST) throw new der.DerError(`unsupported attribute ${attribute}`);
  const extensions = der.childrenOf(der.only(der.childrenOf(values, der.TAGS.set)), der.TAGS.sequence);
  const [id, ...rest] = der.childrenOf(der.only(extensions), der.TAGS.sequence);
  const extension = der.dottedIdentifier(id);
  if (extension !== ALTERNATIVE_NAMES) throw new der.DerError(`unsupported extension ${extension}`);
  // An optional critical flag between identifier and value does not affect the names.
  return der.childrenOf(der.only(der.decodeAll(der.contentOf(rest.at(-1), der.TAGS.octetString))), der.TAGS.sequence);
}
