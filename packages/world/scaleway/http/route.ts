import type { Answer, Call } from './call.ts';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `/iam/v1alpha1/ssh-keys/:id` */
  readonly path: string;
  /** Query parameters it knows. The real API ignores others, and so does this one: it only says so in the journal. */
  readonly query?: readonly string[];
  /** Fields of the body it knows. */
  readonly fields?: readonly string[];
  run(call: Call): Answer;
}

export interface Match {
  readonly route: Route;
  readonly parts: ReadonlyMap<string, string>;
}

export function findRoute(routes: readonly Route[], method: string, path: string): Match | undefined {
  for (const route of routes) {
    const parts = route.method === method ? matchPath(route.path, path) : undefined;
    if (parts) return { route, parts };
  }
  return undefined;
}

function matchPath(pattern: string, path: string): Map<string, string> | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== given.length) return undefined;
  const parts = new Map<string, string>();
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? '';
    if (segment.startsWith(':')) parts.set(segment.slice(1), decode(value));
    else if (segment !== value) return undefined;
  }
  return parts;
}

/** A path that is not valid percent-encoding stays as it is, and is found nowhere. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
