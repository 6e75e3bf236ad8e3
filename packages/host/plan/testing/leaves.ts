import { Secret } from '@minifleet/secret';
import type { Artifact } from '../../host.ts';
import { artifactOf } from '../../steps/actions-runner/testing/artifact.ts';

type Path = readonly (string | number)[];

interface Leaf {
  readonly path: Path;
  readonly value: unknown;
}

/** Every value inside plain data that holds no other; a secret and an artifact are one each. */
export function leavesOf(value: unknown, path: Path = []): Leaf[] {
  if (typeof value !== 'object' || value === null || value instanceof Secret || isArtifact(value))
    return [{ path, value }];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap(key => leavesOf((value as Readonly<Record<string | number, unknown>>)[key], [...path, key]));
}

/** The same data with one value replaced, or taken out when it is undefined. */
export function replaced<T>(value: T, [key, ...rest]: Path, leaf: unknown): T {
  if (key === undefined) return leaf as T;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string | number, unknown>;
  copy[key] = replaced(copy[key], rest, leaf);
  return copy as T;
}

const isArtifact = (value: object): value is Artifact => 'sha256' in value && 'open' in value;

/** Another value of the same kind: what a person might write there instead. */
export function another(value: unknown): unknown {
  if (value instanceof Secret) return new Secret(value.name, `${value.reveal().toString()} changed`);
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'string') return anotherText(value);
  if (typeof value === 'object' && value !== null && isArtifact(value))
    return artifactOf(value.name, 'another content');
  throw new Error(`no other value for ${String(value)}`);
}

function anotherText(text: string): string {
  if (/^[\d.]+\/\d+$/.test(text)) return '203.0.113.0/24';
  if (/^[\da-f:]+\/\d+$/.test(text)) return '2001:db8::/32';
  if (text === 'tcp') return 'udp';
  return `${text}2`;
}
