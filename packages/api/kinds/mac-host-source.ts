import { z } from 'zod';
import { matching, type ValidationRule, withRules } from '../schema/rule.ts';
import type { SchemaOutput } from '../schema/schema-output.ts';
import { serverIDPattern, zone } from './host-binding.ts';

const serverID = withRules(z.string().max(36), [
  matching(serverIDPattern, {
    message: 'serverID must be the server id in lower case, for example 8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11',
    accepts: ['8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11'],
    rejects: ['8F14E45F-CEEA-467F-A0E6-2B1C9D3F7A11', 'mini-1', ''],
  }),
]);

const scaleway = z.object({
  zone: zone.describe('Scaleway zone of the server.'),
  serverID: serverID.describe('Server id at Scaleway; also the name of this object.'),
});

const address = withRules(z.string().min(1).max(253), [
  matching(/^[0-9A-Za-z.:-]+$/, {
    message:
      'address must be an IP address or a DNS name without user and port, for example 192.0.2.11; set the port in port',
    accepts: ['192.0.2.11', 'mini-01.example.com', '2001:db8::1'],
    rejects: ['m1@192.0.2.11', 'ssh://192.0.2.11', 'mini 01'],
  }),
]);

const user = withRules(z.string().min(1).max(32), [
  matching(/^[A-Za-z_][A-Za-z0-9_.-]*$/, {
    message: 'user must be the short name of a macOS account, for example admin',
    accepts: ['admin', 'm1'],
    rejects: ['Admin User', '-admin', 'admin@example.com'],
  }),
]);

const hostKey = withRules(z.string().max(64), [
  matching(/^SHA256:[A-Za-z0-9+/]{43}$/, {
    message:
      'hostKey must be the SHA256 fingerprint that ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub prints on the Mac, for example SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU',
    accepts: ['SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU'],
    rejects: ['47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU', 'MD5:d4:1d:8c', 'SHA256:short'],
  }),
]);

const owned = z.object({
  address: address.describe('IP address or DNS name of the Mac for SSH.'),
  port: z.int().min(1).max(65535).default(22).describe('SSH port.'),
  user: user.describe('macOS account that runs everything and that the provider logs in as.'),
  type: z.string().max(64).optional().describe('Type of the Mac, for example M2-L. Machines select hosts by it.'),
  os: z
    .string()
    .max(64)
    .optional()
    .describe('Installed macOS, for example macos-tahoe-26.3. Machines select hosts by it.'),
  hostKey: hostKey
    .optional()
    .describe('Fingerprint of the SSH host key. Default: the provider pins the key of the first connection.'),
  screen: z.string().max(260).optional().describe('host:port of the VNC screen, shown to operators.'),
});

type Source = { scaleway?: SchemaOutput<typeof scaleway>; owned?: SchemaOutput<typeof owned> };

const rented = (id: string) => ({ scaleway: { zone: 'fr-par-1', serverID: id } });
const one = '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11';
const other = '0cc175b9-c0f1-46a8-b1c3-99e269772661';
const desk = { owned: { address: '192.0.2.11', port: 22, user: 'admin' } };

const oneKind: ValidationRule<Source> = {
  cel: 'has(self.scaleway) != has(self.owned)',
  message: 'source needs exactly one of scaleway and owned',
  check: self => (self.scaleway === undefined) !== (self.owned === undefined),
  accepts: [rented(one), desk],
  rejects: [{}, { ...rented(one), ...desk }],
};

// The address of an owned Mac may change; a rented server is another Mac.
const sameHost: ValidationRule<Source> = {
  cel: 'has(self.scaleway) == has(oldSelf.scaleway) && (!has(self.scaleway) || self.scaleway == oldSelf.scaleway)',
  message: 'source cannot change to another host; create another MacHost, and delete this one once it has no consumer',
  checkChange: (self, old) =>
    self.scaleway?.serverID === old.scaleway?.serverID && self.scaleway?.zone === old.scaleway?.zone,
  accepts: [
    { from: rented(one), to: rented(one) },
    { from: desk, to: { owned: { ...desk.owned, address: '192.0.2.12' } } },
  ],
  rejects: [
    { from: rented(one), to: rented(other) },
    { from: rented(one), to: desk },
  ],
};

/** Identity of a host: a server at Scaleway, or a Mac of the operator. */
export const hostSource = withRules(
  z.object({
    scaleway: scaleway.optional().describe('Server rented from Scaleway. The provider creates such objects itself.'),
    owned: owned
      .optional()
      .describe('Mac that you own. The provider cannot reinstall or restart it; released, it keeps its contents.'),
  }),
  [oneKind, sameHost],
);

export type HostSource = SchemaOutput<typeof hostSource>;
