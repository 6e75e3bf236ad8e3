/** A request with everything a route needs to answer it. */
import type { IncomingMessage } from 'node:http';
import type { ServedPod, ServerDeps } from './server-deps.ts';

/** A request that ends with an error status and a message for the user of kubectl. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    options: { readonly cause?: unknown; readonly headers?: Record<string, string> } = {},
  ) {
    super(message, { cause: options.cause });
    this.status = status;
    this.headers = options.headers ?? {};
  }
}

export interface KubeletCall {
  readonly request: IncomingMessage;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Decoded path segments after the route's own: `namespace`, `pod`, `uid`, `container`. */
  readonly segments: readonly string[];
  readonly server: ServerDeps;
}

/**
 * Pod and container of `/{namespace}/{pod}[/{uid}]/{container}`; throws 404 with kubelet's message if there is none.
 */
export function findContainer({ segments, server }: KubeletCall): { pod: ServedPod; container: string } {
  const [namespace = '', name = ''] = segments;
  const [container = '', uid] = segments.slice(2).reverse();
  const pod = server.guests.find({ namespace, name, uid });
  if (!pod) throw new HttpProblem(404, `pod "${name}" does not exist`);
  if (!pod.containers.includes(container)) {
    throw new HttpProblem(404, `container "${container}" not found in pod "${name}"`);
  }
  return { pod, container };
}

/** Pod of `/{namespace}/{pod}[/{uid}]`. */
export function findPod({ segments, server }: KubeletCall): ServedPod {
  const [namespace = '', name = '', uid] = segments;
  const pod = server.guests.find({ namespace, name, uid });
  if (!pod) throw new HttpProblem(404, `pod "${name}" does not exist`);
  return pod;
}

/** Throws unless the Pod's guest is running. */
export function requireRunning(pod: ServedPod): void {
  const { state } = pod;
  if (state?.phase === 'running') return;
  const why = state === undefined ? 'there is no guest' : `the guest is ${state.phase}`;
  throw new HttpProblem(500, `container not found ("${pod.containers[0] ?? ''}"): ${why}`);
}
