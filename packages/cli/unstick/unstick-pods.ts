import { planUnstick } from '@minifleet/api';
import { type Client, nodes, type Pod, pods } from '@minifleet/kube';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import { type ExitCode, exitCode, UsageError } from '../exit.ts';
import { abortError, untilAborted } from '../stop.ts';
import { paintFor } from '../terminal/paint.ts';
import { lineWidth } from '../terminal/table.ts';

import { type PodRelease, releasePod } from './release-pod.ts';
import type { UnstickRequest } from './unstick-command.ts';
import { podCount, podsTable } from './unstick-view.ts';

/** Lists every Pod that a finalizer holds, and releases those that provably run no VM (I10). */
export async function unstickPods(request: UnstickRequest, context: CliContext): Promise<ExitCode> {
  if (!request.dryRun && !request.yes && !context.prompts) {
    throw new UsageError('no terminal for the confirmation; use --yes to release the Pods, or --dry-run to list them');
  }
  return withCluster(request, context, async client => {
    const { output, clock } = context;
    const judged = await untilAborted(context, judgePods(client, request, clock.now()));
    const releases = judged.flatMap(({ pod, verdict }) =>
      verdict.kind === 'release' ? [{ pod, why: verdict.why }] : [],
    );
    const stuck = judged.filter(({ verdict }) => verdict.kind === 'stuck').length;
    if (judged.length === 0) {
      output.write('No stuck Pods found.\n');
      return exitCode.done;
    }
    output.write(
      podsTable(judged, { paint: paintFor(output, context.colours), width: lineWidth(output), now: clock.now() }),
    );
    output.write(`\n${summary(releases.length, stuck)}\n`);
    if (request.dryRun) output.write('Nothing was changed.\n');
    const released = request.dryRun ? 0 : await releaseAll(client, releases, { request, context });
    return released === releases.length && stuck === 0 ? exitCode.done : exitCode.differs;
  });
}

async function judgePods(client: Client, { namespace, stuckAfter }: UnstickRequest, now: number) {
  const [found, { items }] = await Promise.all([
    client.list(pods, namespace === undefined ? {} : { namespace }),
    client.list(nodes),
  ]);
  return planUnstick<Pod, (typeof items)[number]>({ pods: found.items, nodes: items, now, stuckAfter });
}

function summary(releases: number, stuck: number): string {
  const free = releases === 0 ? 'No Pod can be released' : `${podCount(releases)} can be released`;
  return stuck === 0
    ? `${free}.`
    : `${free}; ${podCount(stuck)} cannot, because a VM may still run or another finalizer holds them.`;
}

interface ReleaseDeps {
  readonly request: UnstickRequest;
  readonly context: CliContext;
}

/** Releases the Pods after confirmation and returns their number. */
async function releaseAll(
  client: Client,
  releases: readonly PodRelease[],
  { request, context }: ReleaseDeps,
): Promise<number> {
  const { output, prompts } = context;
  if (releases.length === 0) return 0;
  const agreed = request.yes ?? (await prompts?.confirm(`Release ${podCount(releases.length)}?`));
  if (agreed === undefined) throw abortError();
  if (!agreed) {
    output.write('Nothing was changed.\n');
    return 0;
  }
  let released = 0;
  for (const release of releases) {
    context.signal.throwIfAborted();
    const refused = await releasePod(client, release);
    if (refused === undefined) released += 1;
    else output.write(`${refused}\n`);
  }
  const rest = releases.length - released;
  output.write(
    `${podCount(released)} released.${rest === 0 ? '' : ` ${podCount(rest)} skipped; run the command again.`}\n`,
  );
  return released;
}
