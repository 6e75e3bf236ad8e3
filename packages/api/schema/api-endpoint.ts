import { z } from 'zod';
import { kubernetes } from './kubernetes.ts';
import { celPattern, withRules } from './rule.ts';
import type { SchemaOutput } from './schema-output.ts';

const machineAddress = z.object({
  type: z.enum(['Hostname', 'ExternalIP', 'InternalIP', 'ExternalDNS', 'InternalDNS']).describe('Type of the address.'),
  address: z.string().min(1).max(256).describe('IP address or DNS name.'),
});

/** Addresses in the form Cluster API copies to Machine.status.addresses. */
export const machineAddresses = kubernetes(z.array(machineAddress).max(32), { 'x-kubernetes-list-type': 'atomic' });

export type MachineAddress = SchemaOutput<typeof machineAddress>;

const hostLetters = /^[A-Za-z0-9.:-]+$/;
const hostWithPort = /^[^:]+:[0-9]+$/;

const host = withRules(z.string().min(1).max(512), [
  {
    cel: `self.matches(${celPattern(hostLetters)}) && !self.matches(${celPattern(hostWithPort)})`,
    message:
      'host must be a DNS name or IP address without https:// and port, for example api.example.com; set the port in port',
    check: self => hostLetters.test(self) && !hostWithPort.test(self),
    accepts: ['api.example.com', '203.0.113.7', '2001:db8::1', '127.0.0.1'],
    rejects: ['https://api.example.com', 'api.example.com:6443', 'api example'],
  },
]);

/** Address of an API server. Both parts or neither: a host without a port is a stub that clients would dial. */
export const apiEndpoint = withRules(
  z.object({
    host: host.optional().describe('DNS name or IP address of the API server, without scheme and port.'),
    port: z.int().min(1).max(65535).optional().describe('Port of the API server, usually 443 or 6443.'),
  }),
  [
    {
      cel: 'has(self.host) == has(self.port)',
      message: 'an endpoint needs both host and port, for example host: api.example.com and port: 6443; or omit both',
      check: self => (self.host === undefined) === (self.port === undefined),
      accepts: [{}, { host: 'api.example.com', port: 6443 }],
      rejects: [{ host: 'api.example.com' }, { port: 6443 }],
    },
  ],
);

export type ApiEndpoint = SchemaOutput<typeof apiEndpoint>;
