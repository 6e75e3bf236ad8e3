import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileArtifact } from '@minifleet/host';
import { Secret } from '@minifleet/secret';
import type { z } from 'zod';
import { readSecretLine } from './secret-line.ts';
import { SpecFileError } from './spec-file-error.ts';
import { fieldsInstead, problemsFrom } from './spec-problem.ts';
import type { SpecFiles } from './spec-schema.ts';
import { whyUnreadable } from './why-unreadable.ts';
import { readYaml, type SourcePosition } from './yaml-text.ts';

/** Reads and validates a YAML file. Artifacts and secrets are files with paths relative to it. */
export async function readChecked<T>(file: string, schemaWith: (files: SpecFiles) => z.ZodType<T>): Promise<T> {
  const at = ({ line, column }: SourcePosition, words: string): string => `${file}:${line}:${column}: ${words}`;
  const yaml = readYaml(await readText(file));
  if (yaml.problems.length > 0) throw new SpecFileError(yaml.problems.map(({ place, words }) => at(place, words)));
  const result = await schemaWith(filesBeside(file)).safeParseAsync(yaml.data, { error: fieldsInstead });
  if (result.success) return result.data;
  const problems = problemsFrom(result.error.issues, path => yaml.valueAt(path));
  throw new SpecFileError(
    problems.map(({ path, words }) => at(yaml.placeOf(path), `${path.join('.') || 'the file'} ${words}`)),
  );
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new SpecFileError([`${file}: ${whyUnreadable(error)}`]);
  }
}

const filesBeside = (file: string): SpecFiles => {
  const beside = (path: string): string => resolve(dirname(file), path);
  const readable = <T>(path: string, reading: Promise<T>): Promise<T> =>
    reading.catch(error => {
      throw new Error(`cannot be read from ${path}: ${whyUnreadable(error)}`);
    });
  return {
    artifact: path => readable(path, fileArtifact(beside(path))),
    secretLine: (name, path) => readable(path, readSecretLine(name, beside(path))),
    secretFile: async (name, path) => new Secret(name, await readable(path, readFile(beside(path)))),
  };
};
