import { type Duration, formatDuration, milliseconds, parseDuration } from '@minifleet/clock';
import type { Client } from '@minifleet/kube';
import { OBJECT_NOT_FOUND } from '../cluster/errors.ts';
import { inNamespace } from '../cluster/machines.ts';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import { type ExitCode, exitCode, UsageError } from '../exit.ts';
import { abortError, untilStopped } from '../stop.ts';
import { observeEntities } from './entities/observe-entities.ts';
import type { WatchRequest } from './watch-command.ts';
import { createWatchPrinter, type WatchPrinter } from './watch-printer.ts';
import { startWatchSources, type WatchSources } from './watch-sources.ts';

/** Tells what happens until the user has seen enough, or, when asked to, until all is well or the time is over. */
export async function watch(hosts: readonly string[], request: WatchRequest, context: CliContext): Promise<ExitCode> {
  const limit = limitOf(request);
  return withCluster(request, context, client => run({ client, hosts, request, context, limit }));
}

function limitOf({ timeout, untilWell }: WatchRequest): Duration | undefined {
  if (timeout === undefined) return undefined;
  if (!untilWell) throw new UsageError('--timeout says how long to wait with --until-well: write both, or neither');
  const limit = parseDuration(timeout);
  if (limit === undefined) throw new UsageError(`--timeout ${timeout} is not a duration such as 90s, 30m or 1h`);
  return limit;
}

interface WatchSession {
  readonly client: Client;
  readonly hosts: readonly string[];
  readonly request: WatchRequest;
  readonly context: CliContext;
  readonly limit: Duration | undefined;
}

async function run(watching: WatchSession): Promise<ExitCode> {
  const { request, context, limit } = watching;
  const [well, late] = [new AbortController(), new AbortController()];
  const narrator = createWatchPrinter({
    context,
    json: request.output === 'json',
    onStanding: isWell => {
      if (isWell && request.untilWell) well.abort();
    },
  });
  const timer = limit === undefined ? undefined : context.clock.after(limit, () => late.abort());
  try {
    await narrate(narrator, watching, AbortSignal.any([context.signal, well.signal, late.signal]));
  } catch (error) {
    const ranOut = late.signal.aborted && error instanceof DOMException;
    if (!ranOut) throw error;
  } finally {
    timer?.cancel();
    narrator.stop();
  }
  if (context.signal.aborted) throw abortError();
  const { words, troubled } = narrator.standing();
  if (words !== undefined && !troubled) {
    narrator.sumUp();
    return exitCode.done;
  }
  context.errors.write(
    `minifleet: after ${formatDuration(limit ?? milliseconds(0))} ${words ?? 'the cluster has not been seen yet'}\n`,
  );
  return words === undefined ? exitCode.failed : exitCode.differs;
}

/** Until the signal. */
async function narrate(
  narrator: WatchPrinter,
  { client, hosts, request, context }: WatchSession,
  over: AbortSignal,
): Promise<void> {
  const { namespace } = request;
  const stop = new AbortController();
  const signal = AbortSignal.any([over, stop.signal]);
  let following: WatchSources | undefined;
  let due = false;
  // One change often comes as several events; what they come to is told once.
  const onChange = (): void => {
    if (due || !following) return;
    due = true;
    setImmediate(() => {
      due = false;
      if (following && !signal.aborted) narrator.see(observeEntities(following.objects(), hosts));
    });
  };
  try {
    following = await startWatchSources({
      ...{ client, clock: context.clock, namespace, signal, onChange },
      onEvent: (event, before) => narrator.hear(event, before),
      onConnection: state => narrator.connection(state),
    });
    const sights = observeEntities(following.objects(), hosts);
    const missing = hosts.find(name => !sights.some(({ calledBy }) => calledBy.includes(name)));
    if (missing !== undefined) throw notThere(missing, namespace);
    if (following.unreadable.length > 0) context.errors.write(unseenWords(following.unreadable));
    narrator.begin(sights);
    await untilStopped(signal);
  } finally {
    stop.abort();
    await following?.ended;
  }
}

const notThere = (name: string, namespace: string | undefined): Error =>
  OBJECT_NOT_FOUND({ kind: 'hosts', name, where: inNamespace(namespace), list: 'minifleet get hosts' });

const unseenWords = (kinds: readonly string[]): string =>
  `minifleet: you may not list ${kinds.join(', ')}: what only they tell is missing here\n`;
