import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileArtifact, type HostSpec, Secret } from '@minifleet/host';
import { UsageError } from '../../usage-error.ts';
import { readSecretLine } from '../secret-line.ts';
import { whyUnreadable } from '../why-unreadable.ts';
import { fieldsInstead, problemsFrom } from './spec-problem.ts';
import { type SpecFiles, specSchema } from './spec-schema.ts';
import { type Place, readYaml } from './yaml-text.ts';

/** What the command line adds to the file, or says instead of it. */
export interface SpecDefaults {
  readonly name: string | undefined;
  readonly user: string;
  readonly password: Secret | undefined;
}

/** Reads what is wanted of a host. Artifacts and secrets are files, named relative to the spec file. */
export async function readSpecFile(file: string, defaults: SpecDefaults): Promise<HostSpec> {
  const at = ({ line, column }: Place, words: string): string => `${file}:${line}:${column}: ${words}`;
  const yaml = readYaml(await readText(file));
  if (yaml.problems.length > 0) throw refusal(yaml.problems.map(({ place, words }) => at(place, words)));
  const result = await specSchema(filesBeside(file)).safeParseAsync(yaml.data, { error: fieldsInstead });
  if (!result.success) {
    const problems = problemsFrom(result.error.issues, path => yaml.valueAt(path));
    throw refusal(
      problems.map(({ path, words }) => at(yaml.placeOf(path), `${path.join('.') || 'the file'} ${words}`)),
    );
  }
  const { fleet, host } = result.data;
  const { passwordFile, kubeconfigFile, runnerTokenFile, name = defaults.name, user = defaults.user, ...rest } = host;
  if (name === undefined) throw refusal([at({ line: 1, column: 1 }, 'host.name is missing; write it or give --name')]);
  const password = defaults.password ?? passwordFile;
  return {
    fleet,
    host: {
      ...rest,
      name,
      user,
      ...(password && { password }),
      ...(kubeconfigFile && { kubeconfig: kubeconfigFile }),
      ...(runnerTokenFile && { runnerToken: runnerTokenFile }),
    },
  };
}

/** Every problem on a line of its own, as compilers name them. */
const refusal = (lines: readonly string[]): UsageError => new UsageError(lines.join('\n'));

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw refusal([`${file}: ${whyUnreadable(error)}`]);
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
