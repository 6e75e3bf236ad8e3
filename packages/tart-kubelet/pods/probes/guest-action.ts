/** Probe and hook actions on a guest: exec, HTTP request, TCP connection, gRPC health check. */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:net';
import { type Clock, type Duration, pause, seconds } from '@minifleet/clock';
import type { Pod } from '@minifleet/kube';
import type { GuestId, Guests } from '../../guests/guest.ts';
import { checkHealth } from './grpc-health.ts';

export interface ActionContext {
  readonly guests: Pick<Guests, 'exec'>;
  readonly id: GuestId;
  readonly address: string | undefined;
  readonly pod: Pod;
  /** Aborts when the timeout expires. */
  readonly signal: AbortSignal;
}

export interface ActionResult {
  readonly ok: boolean;
  /** Beginning of the output, for an event. */
  readonly output: string;
}

type ActionContainer = NonNullable<Pod['spec']>['containers'][number];
export type ContainerProbe = NonNullable<ActionContainer['livenessProbe']>;
export type LifecycleHook = NonNullable<NonNullable<ActionContainer['lifecycle']>['preStop']>;
type HttpGetAction = NonNullable<ContainerProbe['httpGet']>;
type GrpcAction = NonNullable<ContainerProbe['grpc']>;

const OUTPUT_LIMIT = 4_096;

/** Runs the configured action; an unreachable guest counts as a failed one. */
export async function runAction(action: ContainerProbe | LifecycleHook, context: ActionContext): Promise<ActionResult> {
  try {
    const [program, ...more] = action.exec?.command ?? [];
    if (program !== undefined) return await execute([program, ...more], context);
    if (action.httpGet) return await get(action.httpGet, context);
    if (action.tcpSocket) {
      const { host = context.address, port } = action.tcpSocket;
      return await dial(host, portNumber(port, context.pod), context.signal);
    }
    if ('grpc' in action && action.grpc) return await health(action.grpc, context);
    return { ok: true, output: '' };
  } catch (error) {
    const output = context.signal.aborted ? 'timed out' : error instanceof Error ? error.message : String(error);
    return { ok: false, output };
  }
}

async function execute(argv: [string, ...string[]], { guests, id, signal }: ActionContext): Promise<ActionResult> {
  const session = await guests.exec(id, { argv, stdin: false });
  const end = (): void => session.close();
  signal.addEventListener('abort', end, { once: true });
  let output = '';
  for (const stream of [session.stdout, session.stderr]) {
    stream.on('data', (piece: Buffer) => {
      if (output.length < OUTPUT_LIMIT) output += piece.toString('utf8').slice(0, OUTPUT_LIMIT - output.length);
    });
  }
  try {
    const exitCode = await session.exited;
    await new Promise(resolve => setImmediate(resolve)); // the last output may still be in the streams
    return { ok: exitCode === 0, output: output.trim() || `exit code ${exitCode}` };
  } finally {
    signal.removeEventListener('abort', end);
  }
}

function get(action: HttpGetAction, { address, pod, signal }: ActionContext): Promise<ActionResult> {
  const { host = address, path = '/', port, scheme = 'HTTP', httpHeaders = [] } = action;
  if (!host) throw new Error('the guest has no address yet');
  const headers = Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value]));
  const options = { host, path, port: portNumber(port, pod), headers, signal, agent: false };
  return new Promise((resolve, reject) => {
    // As in kubelet, certificates are not verified: a probe checks that something answers, not who.
    const request = scheme === 'HTTPS' ? requestHttps({ ...options, rejectUnauthorized: false }) : requestHttp(options);
    request.once('error', reject);
    request.once('response', response => {
      const { statusCode = 0 } = response;
      response.destroy();
      const ok = statusCode >= 200 && statusCode < 400;
      resolve({ ok, output: `HTTP probe returned status ${statusCode}` });
    });
    request.end();
  });
}

async function health({ port, service = '' }: GrpcAction, { address, signal }: ActionContext): Promise<ActionResult> {
  if (!address) throw new Error('the guest has no address yet');
  return checkHealth({ host: address, port, service, signal });
}

function dial(host: string | undefined, port: number, signal: AbortSignal): Promise<ActionResult> {
  if (!host) throw new Error('the guest has no address yet');
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.destroy();
      resolve({ ok: true, output: '' });
    });
  });
}

function portNumber(port: string | number, { spec }: Pod): number {
  if (typeof port === 'number' || /^\d+$/.test(port)) return Number(port);
  const named = spec?.containers[0]?.ports?.find(({ name }) => name === port);
  if (!named) throw new Error(`the container has no port named ${port}`);
  return named.containerPort;
}

interface HookOptions {
  readonly hook: LifecycleHook;
  readonly clock: Clock;
  readonly context: Omit<ActionContext, 'signal'>;
  /** The hook is cancelled after this time, or when the signal aborts. */
  readonly within?: Duration;
  readonly signal: AbortSignal;
}

/** Runs a postStart or preStop hook. Never throws; a cancelled hook counts as failed. */
export async function runHook({ hook, clock, context, within, signal }: HookOptions): Promise<ActionResult> {
  const late = new AbortController();
  const timer = within === undefined ? undefined : clock.after(within, () => late.abort());
  const over = AbortSignal.any([signal, late.signal]);
  try {
    if (!hook.sleep) return await runAction(hook, { ...context, signal: over });
    await pause(clock, seconds(hook.sleep.seconds), over);
    return { ok: !over.aborted, output: over.aborted ? 'timed out' : '' };
  } finally {
    timer?.cancel();
  }
}
