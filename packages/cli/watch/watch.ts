import { type Duration, formatDuration, milliseconds } from '@minifleet/clock';
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

/** Prints changes until Ctrl-C or, with `--until-healthy`, until everything is healthy or the timeout ends. */
export async function watch(hosts: readonly string[], request: WatchRequest, context: CliContext): Promise<ExitCode> {
  const { timeout, untilHealthy } = request;
  if (timeout !== undefined && !untilHealthy) throw new UsageError('--timeout requires --until-healthy');
  return withCluster(request, context, client => run({ client, hosts, request, context, timeout }));
}

interface WatchSession {
  readonly client: Client;
  readonly hosts: readonly string[];
  readonly request: WatchRequest;
  readonly context: CliContext;
  readonly timeout: Duration | undefined;
}

async function run(session: WatchSession): Promise<ExitCode> {
  const { request, context, timeout } = session;
  const [healthy, late] = [new AbortController(), new AbortController()];
  const printer = createWatchPrinter({
    context,
    json: request.output === 'json',
    onStatus: isHealthy => {
      if (isHealthy && request.untilHealthy) healthy.abort();
    },
  });
  const timer = timeout === undefined ? undefined : context.clock.after(timeout, () => late.abort());
  try {
    await printChanges(printer, session, AbortSignal.any([context.signal, healthy.signal, late.signal]));
  } catch (error) {
    const timedOut = late.signal.aborted && error instanceof DOMException;
    if (!timedOut) throw error;
  } finally {
    timer?.cancel();
    printer.stop();
  }
  if (context.signal.aborted) throw abortError();
  const { summary, unhealthy } = printer.status();
  if (summary !== undefined && !unhealthy) {
    printer.printSummary();
    return exitCode.done;
  }
  const after = formatDuration(timeout ?? milliseconds(0));
  context.errors.write(`minifleet: timed out after ${after}: ${summary ?? 'no response from the cluster'}\n`);
  return summary === undefined ? exitCode.failed : exitCode.differs;
}

/** Prints changes until the signal aborts. */
async function printChanges(
  printer: WatchPrinter,
  { client, hosts, request, context }: WatchSession,
  end: AbortSignal,
): Promise<void> {
  const { namespace } = request;
  const stop = new AbortController();
  const signal = AbortSignal.any([end, stop.signal]);
  let sources: WatchSources | undefined;
  let due = false;
  // One change often arrives as several events; their result is printed once.
  const onChange = (): void => {
    if (due || !sources) return;
    due = true;
    setImmediate(() => {
      due = false;
      if (sources && !signal.aborted) printer.observe(observeEntities(sources.objects(), hosts, namespace));
    });
  };
  try {
    sources = await startWatchSources({
      ...{ client, clock: context.clock, namespace, signal, onChange },
      onEvent: (event, initial) => printer.handleEvent(event, initial),
      onConnection: state => printer.connectionChanged(state),
    });
    const snapshots = observeEntities(sources.objects(), hosts, namespace);
    const missing = hosts.find(name => !snapshots.some(({ aliases }) => aliases.includes(name)));
    if (missing !== undefined) throw notFound(missing, namespace);
    if (sources.unreadable.length > 0) context.errors.write(unreadableWarning(sources.unreadable));
    printer.start(snapshots);
    await untilStopped(signal);
  } finally {
    stop.abort();
    await sources?.ended;
  }
}

const notFound = (name: string, namespace: string | undefined): Error =>
  OBJECT_NOT_FOUND({ kind: 'hosts', name, where: inNamespace(namespace), list: 'minifleet get hosts' });

const unreadableWarning = (resources: readonly string[]): string =>
  `minifleet: you are not allowed to list ${resources.join(', ')}; their changes are not shown\n`;
