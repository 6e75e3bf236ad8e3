import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { createCertificateAuthority } from './certificate-authority.ts';

const authority = createCertificateAuthority('an authority');
const root = new X509Certificate(authority.certificate);

test('PKI: an authority is self-signed and may sign certificates', () => {
  assert.equal(root.subject, 'CN=an authority');
  assert.ok(root.ca);
  assert.ok(root.verify(root.publicKey));
});

test('PKI: a client certificate has the user as CN and the groups as O', () => {
  const issued = authority.issue({
    commonName: 'system:node:mac-1',
    organizations: ['system:nodes', 'more'],
    usages: ['client'],
  });
  const certificate = new X509Certificate(issued.certificate);
  assert.equal(certificate.subject, 'O=system:nodes\nO=more\nCN=system:node:mac-1');
  assert.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.2']);
  assert.ok(!certificate.ca);
  assert.ok(certificate.checkIssued(root));
  assert.ok(certificate.verify(root.publicKey));
  assert.ok(certificate.checkPrivateKey(createPrivateKey(issued.privateKey)));
});

test('PKI: a serving certificate is valid for its DNS names, IPv4 and IPv6 addresses', () => {
  const { certificate } = authority.issue({
    commonName: 'server',
    usages: ['server'],
    dnsNames: ['localhost', 'kubernetes.default.svc'],
    addresses: ['127.0.0.1', '::1', 'fd00:1::2'],
  });
  const parsed = new X509Certificate(certificate);
  assert.equal(parsed.checkHost('kubernetes.default.svc'), 'kubernetes.default.svc');
  assert.equal(parsed.checkHost('example.com'), undefined);
  for (const address of ['127.0.0.1', '::1', 'fd00:1::2']) assert.ok(parsed.checkIP(address), address);
  assert.equal(parsed.checkIP('10.0.0.1'), undefined);
});

test('PKI: certificates are valid now and have distinct serial numbers', () => {
  const [one, two] = ['a', 'b'].map(
    commonName => new X509Certificate(authority.issue({ commonName, usages: ['client'] }).certificate),
  );
  assert.ok(one && two);
  assert.notEqual(one.serialNumber, two.serialNumber);
  assert.ok(one.validFromDate.getTime() < Date.now() && Date.now() < one.validToDate.getTime());
});
