import assert from 'node:assert/strict';
import { type CertificateSigningRequest, certificateSigningRequests } from '../../client/built-in.ts';
import { type Bench, uniqueName } from './bench.ts';
import { test } from './test.ts';

/** A PKCS#10 request for CN=contract, in base64 of PEM: the real server parses it. */
const REQUEST =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIaE1JR0lBZ0VBTUNZeEVUQVBCZ05WQkFvTUNHTnZiblJ5WVdO' +
  'ME1SRXdEd1lEVlFRRERBaGpiMjUwY21GagpkREJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSEEwSUFCTlVIM2FjZjlnOWUw' +
  'VmhqVzlsUXpxUkprcHBjCmxtcytnSzczVFJsYnlDYjlqNEdJMU1YUDZtbnM5bzZaakdYVzdHOE9mMFFSWUxLM0NrOVZLcTVrSVQy' +
  'Z0FEQUsKQmdncWhrak9QUVFEQWdOSUFEQkZBaUVBOWtDTmpsYWwvZXZRRUNiTEFvRVpOVFVTZGM2ZnJMN211Sm9OQkRkSApHMUlD' +
  'SUhjTWFPOWNQMVFiM0xFOVU5dTlvZEhOaHRHbjFucUIxanBwYnBKWG9wMkMKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0t' +
  'LS0tCg==';

export function certificateRequestContract(bench: Bench): void {
  const create = (): Promise<CertificateSigningRequest> =>
    bench.client.create(certificateSigningRequests, {
      metadata: { name: uniqueName('request') },
      spec: { request: REQUEST, signerName: 'contract.test/signer', usages: ['client auth'] },
      status: { certificate: 'bm9uZQ==' },
    });
  const approved = { type: 'Approved', status: 'True', reason: 'Contract', message: 'for the test' };

  test('a new CertificateSigningRequest has no status, whatever was sent', async () => {
    const created = await create();
    assert.equal(created.status?.certificate, undefined);
    assert.equal(created.status?.conditions, undefined);
  });

  test('a CertificateSigningRequest is approved only through its approval subresource', async () => {
    const created = await create();
    const sent = { ...created, status: { conditions: [approved] } };
    assert.equal((await bench.client.update(certificateSigningRequests, sent)).status?.conditions, undefined);
    const answer = await bench.client.update(certificateSigningRequests, sent, { subresource: 'approval' });
    const [condition] = answer.status?.conditions ?? [];
    assert.deepEqual([condition?.type, condition?.status, condition?.reason], ['Approved', 'True', 'Contract']);
    assert.equal(answer.spec.signerName, 'contract.test/signer');
  });

  test('CertificateSigningRequests are selected by their signer', async () => {
    const { metadata } = await create();
    const fieldSelector = `spec.signerName=contract.test/signer,metadata.name=${metadata.name}`;
    const { items } = await bench.client.list(certificateSigningRequests, { fieldSelector });
    assert.deepEqual(
      items.map(item => item.metadata.name),
      [metadata.name],
    );
  });
}
