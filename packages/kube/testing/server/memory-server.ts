import { customResourceDefinitions } from '../../client/built-in.ts';
import type { ApiRequest, ApiResponse } from '../../client/transport.ts';
import { keyOf } from '../../object.ts';
import { kindId } from '../kinds/served-kind.ts';
import type { LineQueue } from '../store/line-queue.ts';
import { listObjects } from '../store/list-objects.ts';
import { parseSelection } from '../store/selection.ts';
import { watchObjects } from '../store/watch-objects.ts';
import type { ApiState } from '../write/api-state.ts';
import { collectGarbage, needsCollection } from '../write/collect-garbage.ts';
import { deleteObject } from '../write/delete.ts';
import { answer, answering, answerText } from './answer.ts';
import { answerObject, deletionOf } from './object-verbs.ts';
import { flagIn, numberIn, textIn } from './query.ts';
import { methodNotAllowed } from './refusal.ts';
import { type Route, routeOf } from './route.ts';

/** Handles one request at a time, synchronously, so that no reader sees a partial write. */
export class MemoryServer {
  readonly #state: ApiState;
  /** Called after a CustomResourceDefinition changed, to serve its kinds. */
  readonly #definitionsChanged: () => void;
  #collectable = false;

  constructor(state: ApiState, definitionsChanged: () => void) {
    this.#state = state;
    this.#definitionsChanged = definitionsChanged;
    state.store.subscribe(change => {
      this.#collectable ||= needsCollection(change);
    });
  }

  answer(request: ApiRequest): ApiResponse {
    return answering(() => {
      const fixed = fixedPages[request.path];
      if (fixed) return fixed();
      const route = routeOf(this.#state.kinds, request.path);
      if (request.method === 'GET') return this.#read(route, request);
      const response =
        route.name === undefined && request.method === 'DELETE'
          ? this.#deleteCollection(route, request)
          : answerObject(this.#state, route, request);
      if (route.kind.id === kindId(customResourceDefinitions)) this.#definitionsChanged();
      if (this.#collectable) collectGarbage(this.#state);
      this.#collectable = false;
      return response;
    });
  }

  /** Lines of a watch, or the error response. */
  watch(request: ApiRequest): LineQueue | ApiResponse {
    let lines: LineQueue | undefined;
    const response = answering(() => {
      const route = routeOf(this.#state.kinds, request.path);
      if (route.name !== undefined) throw methodNotAllowed();
      lines = this.#openWatch(route, request);
      return answer(200, {});
    });
    return lines ?? response;
  }

  #openWatch({ kind, namespace }: Route, request: ApiRequest): LineQueue {
    const timeoutSeconds = numberIn(request, 'timeoutSeconds');
    const resourceVersion = textIn(request, 'resourceVersion');
    return watchObjects(this.#state.store, this.#state.clock, {
      ...{ kind, metadataOnly: wantsMetadata(request) },
      selection: parseSelection(kind, { namespace, ...selectors(request) }),
      bookmarks: flagIn(request, 'allowWatchBookmarks'),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    });
  }

  #read(route: Route, request: ApiRequest): ApiResponse {
    const { kind, namespace, name } = route;
    if (name !== undefined) return answerObject(this.#state, route, request);
    const selection = parseSelection(kind, { namespace, ...selectors(request) });
    const limit = numberIn(request, 'limit');
    const token = textIn(request, 'continue');
    const resourceVersion = textIn(request, 'resourceVersion');
    const query = {
      ...(limit === undefined ? {} : { limit }),
      ...(token === undefined ? {} : { continue: token }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    };
    return answer(
      200,
      listObjects(this.#state.store, { kind, metadataOnly: wantsMetadata(request), selection, query }),
    );
  }

  #deleteCollection({ kind, namespace }: Route, request: ApiRequest): ApiResponse {
    const { matches } = parseSelection(kind, { namespace, ...selectors(request) });
    const objects = this.#state.store.all(kind.id).filter(matches);
    for (const object of objects) {
      deleteObject(this.#state, { kind, ...keyOf(object) }, deletionOf(request.body, request));
    }
    return answer(200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' });
  }
}

const selectors = (request: ApiRequest): { labelSelector: string | undefined; fieldSelector: string | undefined } => ({
  labelSelector: textIn(request, 'labelSelector'),
  fieldSelector: textIn(request, 'fieldSelector'),
});

const wantsMetadata = ({ accept = '' }: ApiRequest): boolean => accept.includes('as=PartialObjectMetadata');

const ok = (): ApiResponse => answerText(200, 'ok');

const fixedPages: Record<string, () => ApiResponse> = {
  '/readyz': ok,
  '/livez': ok,
  '/healthz': ok,
  '/version': () => answer(200, { major: '1', minor: '36', gitVersion: 'v1.36.4' }),
};
