/** What both ends of RFB say before there is a picture (RFC 6143, 7.1). */

/** The three dialects that differ: 3.3, 3.7, 3.8. */
export type Dialect = 3 | 7 | 8;

export const VERSION_BYTES = 12;
export const CHALLENGE_BYTES = 16;

/** Security types. */
export const NONE = 1;
export const VNC_PASSWORD = 2;

/** The newest both know. Apple's 3.889 is 3.8 with more; 3.4 to 3.6 never were, and who says so means 3.3. */
export function dialectOf(line: Buffer): Dialect | undefined {
  const [, major, minor] = /^RFB (\d{3})\.(\d{3})\n$/.exec(line.toString('latin1')) ?? [];
  if (Number(major) > 3) return 8;
  if (major !== '003' || Number(minor) < 3) return undefined;
  return Number(minor) >= 8 ? 8 : Number(minor) === 7 ? 7 : 3;
}

export const versionLine = (dialect: Dialect): string => `RFB 003.00${dialect}\n`;

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
