import type { ApiRequest } from '../../client/transport.ts';
import type { WriteMode } from '../write/api-state.ts';

/** Parses the query of a request. Like on the real server, all values are strings. */
export function textIn(request: ApiRequest, name: string): string | undefined {
  const value = request.query?.[name];
  return value === undefined || value === '' ? undefined : String(value);
}

export const flagIn = (request: ApiRequest, name: string): boolean =>
  ['true', '1'].includes(textIn(request, name) ?? '');

export function numberIn(request: ApiRequest, name: string): number | undefined {
  const text = textIn(request, name);
  return text === undefined ? undefined : Number(text);
}

/** Manager of a plain write without a fieldManager. The real server uses the beginning of the User-Agent. */
const USER_AGENT = 'minifleet';

export const writeModeOf = (request: ApiRequest, subresource: string | undefined): WriteMode => ({
  manager: textIn(request, 'fieldManager') ?? USER_AGENT,
  ...(subresource === undefined ? {} : { subresource }),
  dryRun: textIn(request, 'dryRun') === 'All',
  strict: textIn(request, 'fieldValidation') === 'Strict',
});
