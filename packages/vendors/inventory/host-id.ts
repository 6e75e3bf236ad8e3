import { createHash } from 'node:crypto';

/** UUID namespace. It must never change, because host ids in running clusters derive from it. */
const NAMESPACE = 'b1d4e6a2-6c1f-4f7b-9a55-0d2a7c3e8f10';

/** Derives a stable UUID from address and port (version 5 of RFC 9562). */
export function hostId(place: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(NAMESPACE.replaceAll('-', ''), 'hex'))
    .update(place)
    .digest();
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
