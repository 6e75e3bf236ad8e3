import type { GithubRequest } from '../rest/github-request.ts';
import type { GithubResponse, GithubRoute } from '../rest/route.ts';
import { type ApiOperation, type Description, type Media, publishedDescription, resolve } from './description.ts';
import { createValidator, type Validate, type Validator } from './validator.ts';

/** Compiled once per process and shared, because the description does not change. */
let compiled: { readonly description: Description; readonly validator: Validator } | undefined;
const validates = new Map<string, Validate>();

/** Checks traffic against GitHub's published description. Each deviation is reported in one readable line. */
export function createPublishedCheck(report: ReportDeviation): OpenApiCheck {
  compiled ??= compile();
  const { description, validator } = compiled;
  const validateBody: ValidateBody = (key, schema, value) => {
    const validate = validates.get(key) ?? validator.compile(schema);
    validates.set(key, validate);
    for (const fault of validate(value)) report(`${key}: ${fault}`);
  };
  const operationOf = (route: GithubRoute): ApiOperation | undefined => {
    const operation = description.paths[route.path]?.[route.method.toLowerCase()];
    if (!operation) report(`${route.method} ${route.path}: not in the published description`);
    return operation;
  };
  return {
    request(route, { url, body = {} }) {
      if (route.undescribed) return;
      const operation = operationOf(route);
      if (!operation) return;
      checkQuery(url.searchParams, { operation, where: `${route.method} ${route.path}`, report });
      checkBody(body, { operation, key: `${route.method} ${route.path} request`, report, validateBody });
    },
    answer(route, { status, body }) {
      if (route.undescribed) return;
      const described = operationOf(route)?.responses[status];
      const key = `${route.method} ${route.path} ${status}`;
      // Errors that every endpoint can return are not listed for each endpoint.
      if (!described) return status < 400 ? report(`${key}: the description has no such status`) : undefined;
      const schema = schemaOf(resolve(described, description.components.responses));
      if (schema !== undefined) validateBody(key, schema, body);
      else if (body !== undefined) report(`${key}: unexpected body`);
    },
    webhook(name, payload) {
      const schema = schemaOf(description['x-webhooks'][name]?.post.requestBody ?? {});
      if (schema === undefined) return report(`webhook ${name}: not in the published description`);
      validateBody(`webhook ${name}`, schema, payload);
    },
  };
}

type ReportDeviation = (deviation: string) => void;
type ValidateBody = (key: string, schema: unknown, value: unknown) => void;

function compile(): { readonly description: Description; readonly validator: Validator } {
  const description = publishedDescription();
  return { description, validator: createValidator(description) };
}

const schemaOf = ({ content }: Media): unknown => content?.['application/json']?.schema;

interface BodyCheck {
  readonly operation: ApiOperation;
  readonly key: string;
  readonly report: ReportDeviation;
  readonly validateBody: ValidateBody;
}

function checkBody(body: Readonly<Record<string, unknown>>, { operation, key, report, validateBody }: BodyCheck): void {
  const given = Object.keys(body).length > 0;
  const schema = schemaOf(operation.requestBody ?? {});
  if (schema === undefined && given) report(`${key}: unexpected body`);
  if (schema !== undefined && (given || operation.requestBody?.required)) validateBody(key, schema, body);
}

interface QueryCheck {
  readonly operation: ApiOperation;
  readonly where: string;
  readonly report: ReportDeviation;
}

function checkQuery(query: URLSearchParams, { operation, where, report }: QueryCheck): void {
  const { description, validator } = compiled ?? compile();
  const parameters = (operation.parameters ?? [])
    .map(parameter => resolve(parameter, description.components.parameters))
    .filter(parameter => parameter.in === 'query');
  for (const [name, value] of query) {
    const parameter = parameters.find(each => each.name === name);
    if (!parameter) report(`${where} ?${name}: the description has no such parameter`);
    else for (const fault of validator.compileParameter(parameter.schema)(value)) report(`${where} ?${name}: ${fault}`);
  }
}

/** Validates requests, responses and webhooks against the published description. */
export interface OpenApiCheck {
  request(route: GithubRoute, request: GithubRequest): void;
  answer(route: GithubRoute, answer: GithubResponse): void;
  /** Takes the event name of the description: `workflow-job-queued`. */
  webhook(name: string, payload: unknown): void;
}
