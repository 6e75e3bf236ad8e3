/** Parses the query of /containerLogs, that is, the options of `kubectl logs`. */
import { HttpProblem } from '../kubelet-request.ts';

export interface ContainerLogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Milliseconds since the epoch; earlier lines are skipped. */
  readonly since: number | undefined;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
  readonly stream: RequestedStream;
}

export type RequestedStream = 'all' | 'stdout' | 'stderr';

const STREAMS: Readonly<Record<string, RequestedStream>> = { All: 'all', Stdout: 'stdout', Stderr: 'stderr' };

/** Throws 400 for unparsable and 422 for invalid options, with kubelet's response bodies. */
export function parseLogOptions(query: URLSearchParams, now: number): ContainerLogOptions {
  const tail = query.get('tail') ?? query.get('tailLines');
  const tailLines = integer(tail === 'all' ? null : tail);
  const limitBytes = integer(query.get('limitBytes'));
  const sinceSeconds = integer(query.get('sinceSeconds'));
  const sinceTime = time(query.get('sinceTime'));
  const stream = STREAMS[query.get('stream') || 'All'];
  const valid =
    (tailLines ?? 0) >= 0 &&
    (limitBytes ?? 1) >= 1 &&
    (sinceSeconds ?? 1) >= 1 &&
    (sinceSeconds === undefined || sinceTime === undefined) &&
    (stream === 'all' || tailLines === undefined);
  if (!valid || stream === undefined) throw new HttpProblem(422, '{"message": "Invalid request."}');
  return {
    follow: flag(query.get('follow')),
    previous: flag(query.get('previous')),
    timestamps: flag(query.get('timestamps')),
    since: sinceSeconds === undefined ? sinceTime : now - sinceSeconds * 1_000,
    tailLines,
    limitBytes,
    stream,
  };
}

const invalidQuery = (): HttpProblem => new HttpProblem(400, '{"message": "Unable to decode query."}');

function integer(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  if (!/^-?\d{1,18}$/.test(text)) throw invalidQuery();
  return Number(text);
}

function time(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  const parsed = Date.parse(text);
  if (Number.isNaN(parsed)) throw invalidQuery();
  return parsed;
}

const flag = (text: string | null): boolean => text !== null && !['0', 'false'].includes(text.toLowerCase());
