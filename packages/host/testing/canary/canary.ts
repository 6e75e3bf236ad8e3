import { createHash } from 'node:crypto';

/** Planted secrets to search for. Each is unique, so an occurrence anywhere else is a leak. */
export interface Planted {
  readonly name: string;
  readonly value: string | Uint8Array;
}

/** A secret, or a part of it that is one by itself, in a place where it does not belong. */
export interface Leak {
  readonly secret: string;
  readonly written: string;
  readonly where: string;
  /** Surrounding text. */
  readonly around: string;
}

export interface Canary {
  readonly leaks: readonly Leak[];
  readonly texts: number;
  readonly bytes: number;
  /** Looks for every planted secret in a text: as it is, in Base64 and in hexadecimal. */
  search(where: string, text: string | Uint8Array): void;
}

/** A value nobody else has, always the same for its name. */
export const unique = (name: string): string =>
  createHash('sha256').update(`canary ${name}`).digest('hex').slice(0, 24);

export function createCanary(planted: readonly Planted[]): Canary {
  const needles = planted.flatMap(({ name, value }) => written(Buffer.from(value)).map(form => ({ name, ...form })));
  const leaks: Leak[] = [];
  let texts = 0;
  let bytes = 0;
  return {
    leaks,
    get texts() {
      return texts;
    },
    get bytes() {
      return bytes;
    },
    search(where, text) {
      const haystack = Buffer.from(text);
      texts += 1;
      bytes += haystack.length;
      for (const { name, as, needle } of needles) {
        const at = haystack.indexOf(needle);
        if (at < 0) continue;
        const around = haystack.subarray(Math.max(0, at - 60), at).toString('latin1');
        leaks.push({ secret: name, written: as, where, around });
      }
    },
  };
}

interface PlantedCanary {
  readonly as: string;
  readonly needle: Buffer;
}

/** The ways a program writes bytes. Base64 depends on what stands before: its middle is the same in one of three ways. */
function written(value: Buffer): PlantedCanary[] {
  const base64 = [0, 1, 2].map(before => {
    const encoded = Buffer.concat([Buffer.alloc(before), value]).toString('base64');
    return encoded.slice(Math.ceil((before * 4) / 3), Math.floor(((before + value.length) * 4) / 3) - 1);
  });
  const hex = value.toString('hex');
  return [
    { as: 'as it is', needle: value },
    // Bytes that are no UTF-8, as who takes them for letters writes them.
    { as: 'letter by letter', needle: Buffer.from(value.toString('latin1')) },
    { as: 'JSON', needle: Buffer.from(JSON.stringify(value.toString()).slice(1, -1)) },
    ...base64.map(text => ({ as: 'Base64', needle: Buffer.from(text) })),
    { as: 'hexadecimal', needle: Buffer.from(hex) },
    { as: 'hexadecimal', needle: Buffer.from(hex.toUpperCase()) },
  ];
}
