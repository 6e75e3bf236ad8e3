import type { ApiRequest, ApiResponse } from '../../client/transport.ts';
import { shown } from '../kinds/served-kind.ts';
import { isObject } from '../store/json.ts';
import { type ApiState, keyOfTarget, type Target, type WriteMode } from '../write/api-state.ts';
import { applyObject, refuseOption } from '../write/apply.ts';
import { createObject } from '../write/create.ts';
import { decodeBody } from '../write/decode.ts';
import { type Deletion, deleteObject } from '../write/delete.ts';
import { APPLY, patchObject, refusePatchType } from '../write/patch.ts';
import { updateObject, type WrittenObject } from '../write/update.ts';
import { answer } from './answer.ts';
import { flagIn, numberIn, textIn, writeModeOf } from './query.ts';
import { methodNotAllowed, noSuchResource, notFound, unsupportedMediaType } from './refusal.ts';
import type { Route } from './route.ts';

/** The verbs on one object, and creation. */
export function answerObject(state: ApiState, route: Route, request: ApiRequest): ApiResponse {
  const { kind, subresource, name } = route;
  if (subresource !== undefined && !kind.subresources.includes(subresource)) {
    throw kind.custom && name !== undefined ? notFound(kind.resource, name) : noSuchResource();
  }
  const mode = writeModeOf(request, subresource);
  const body = bodyOf(request);
  if (request.method === 'POST') return post(state, route, { body, mode, request });
  if (name === undefined) throw methodNotAllowed();
  const target: Target = { ...route, name };
  switch (request.method) {
    case 'GET':
      return get(state, target);
    case 'PUT':
      refuseBodyType(request);
      return answerWritten(target, updateObject(state, target, { body, mode }));
    case 'PATCH':
      return patch(state, target, { body, mode, request });
    case 'DELETE':
      return remove(state, target, { body, request });
    default:
      throw methodNotAllowed();
  }
}

interface SentObject {
  readonly body: unknown;
  readonly mode: WriteMode;
  readonly request: ApiRequest;
}

/** Body as it arrives over a network: a copy that shares no objects with the sender. */
const bodyOf = (request: ApiRequest): unknown =>
  request.body === undefined ? undefined : JSON.parse(JSON.stringify(request.body));

function get(state: ApiState, target: Target): ApiResponse {
  const object = state.store.find(target.kind.id, keyOfTarget(target));
  if (!object) throw notFound(target.kind.resource, target.name);
  return answer(200, shown(target.kind, object));
}

function post(state: ApiState, route: Route, { body, mode, request }: SentObject): ApiResponse {
  if (route.name !== undefined) throw methodNotAllowed();
  refuseBodyType(request);
  const object = createObject(state, route.kind, decodeBody(route.kind, body, route.namespace), mode);
  return answer(201, shown(route.kind, object));
}

function patch(state: ApiState, target: Target, { body, mode, request }: SentObject): ApiResponse {
  const contentType = request.contentType ?? 'application/json';
  refusePatchType(target.kind, contentType);
  const force = flagIn(request, 'force');
  if (contentType === APPLY) {
    const manager = textIn(request, 'fieldManager') ?? '';
    return answerWritten(target, applyObject(state, target, { body, force, mode: { ...mode, manager } }));
  }
  if (force) throw refuseOption('force', 'Forbidden: may not be specified for non-apply patch');
  return answer(200, shown(target.kind, patchObject(state, target, { body, contentType, mode })));
}

function remove(state: ApiState, target: Target, { body, request }: Omit<SentObject, 'mode'>): ApiResponse {
  const { object, gone } = deleteObject(state, target, deletionOf(body, request));
  const { kind, name } = target;
  if (!gone || kind.graceful) return answer(200, shown(kind, object));
  const { group, plural } = kind.resource;
  const details = { name, ...(group ? { group } : {}), kind: plural, uid: object.metadata.uid };
  return answer(200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
}

/** Delete options are in the body or, from simple clients, in the query. */
export function deletionOf(body: unknown, request: ApiRequest): Deletion {
  const grace = numberIn(request, 'gracePeriodSeconds');
  const policy = textIn(request, 'propagationPolicy') as Deletion['propagationPolicy'];
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(policy === undefined ? {} : { propagationPolicy: policy }),
    dryRun: textIn(request, 'dryRun') === 'All',
    ...(isObject(body) ? body : {}),
  };
}

const answerWritten = ({ kind }: Target, { object, created }: WrittenObject): ApiResponse =>
  answer(created ? 201 : 200, shown(kind, object));

function refuseBodyType({ contentType = 'application/json' }: ApiRequest): void {
  if (!contentType.startsWith('application/json')) throw unsupportedMediaType(['application/json']);
}
