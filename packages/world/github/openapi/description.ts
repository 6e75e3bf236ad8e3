import { readFileSync } from 'node:fs';

export interface Media {
  readonly content?: { readonly 'application/json'?: { readonly schema: unknown } };
  readonly $ref?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: unknown;
  readonly $ref?: string;
}

export interface ApiOperation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Media & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Media>>;
}

/** The part of GitHub's published description that the checks use. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly 'x-webhooks': Readonly<Record<string, { readonly post: ApiOperation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Media>>;
  };
}

let loaded: Description | undefined;

/** Reads the operations in use of GitHub's published description (`testdata/NOTICE.md`), once per process. */
export function publishedDescription(): Description {
  const file = new URL('testdata/github-rest-api.json', import.meta.url);
  loaded ??= JSON.parse(readFileSync(file, 'utf8')) as Description;
  return loaded;
}

/** Follows a reference into `components`, one level. */
export function resolve<Part extends { readonly $ref?: string }>(
  part: Part,
  components: Readonly<Record<string, Part>>,
): Part {
  if (part.$ref === undefined) return part;
  const found = components[part.$ref.split('/').at(-1) ?? ''];
  if (!found) throw new Error(`${part.$ref}: not in the OpenAPI description`);
  return found;
}
