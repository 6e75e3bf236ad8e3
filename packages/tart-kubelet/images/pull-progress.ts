import { type Duration, seconds } from '@minifleet/clock';

/** Progress of a pull, parsed from Tart's output. */
export interface PullProgress {
  /** Compressed download size; undefined until Tart has reported it. */
  readonly totalBytes: number | undefined;
  /** Size that a cached related image saves. */
  readonly savedBytes: number;
  readonly percent: number;
  /** Message for events. */
  readonly message: string;
}

export const nothingPulled: PullProgress = {
  totalBytes: undefined,
  savedBytes: 0,
  percent: 0,
  message: 'contacting the registry',
};

const GB = 1e9;

/** Returns the progress after one more line; other lines leave it unchanged. */
export function readPullLine(before: PullProgress, line: string): PullProgress {
  const text = line.trim();
  const total = /^pulling disk \(([\d.]+) GB compressed\)/.exec(text)?.[1];
  if (total !== undefined) {
    const totalBytes = Math.round(Number(total) * GB);
    return { ...before, totalBytes, message: `0% of ${total} GB` };
  }
  const percent = /^(\d{1,3})%$/.exec(text)?.[1];
  if (percent !== undefined) return withPercent(before, Math.min(100, Number(percent)));
  const spared = /^found an image .* avoid fetching ([\d.]+) GB/.exec(text)?.[1];
  if (spared !== undefined) return { ...before, savedBytes: Math.round(Number(spared) * GB) };
  if (text === 'waiting for lock...') return { ...before, message: 'waiting for another pull from the same registry' };
  const broken = /^Error pulling image: "(.*)", attempting to re-try/.exec(text)?.[1];
  if (broken !== undefined) return { ...before, message: `connection lost (${broken}), retrying` };
  return before;
}

const withPercent = (before: PullProgress, percent: number): PullProgress => ({
  ...before,
  percent,
  message: `${percent}%${before.totalBytes === undefined ? '' : ` of ${(before.totalBytes / GB).toFixed(1)} GB`}`,
});

/** Bytes downloaded so far. */
export const pulledBytes = ({ totalBytes = 0, savedBytes, percent }: PullProgress): number =>
  Math.max(0, Math.round((totalBytes * percent) / 100) - savedBytes);

/** Bytes still to be downloaded, as far as Tart has reported. */
export const promisedBytes = ({ totalBytes = 0, percent }: PullProgress): number =>
  Math.round((totalBytes * (100 - percent)) / 100);

/** Last reported progress of a pull. */
export interface ReportedProgress {
  readonly at: number;
  readonly percent: number;
  readonly message: string;
}

const APART: Duration = seconds(30);
const STEP = 10;

/**
 * Limits progress reports to one per half minute and per 10 percent, so that one pull emits at most about ten events
 * and a Pod keeps most of its event budget (25, then one in five minutes).
 */
export function shouldReport(reported: ReportedProgress, progress: PullProgress, now: number): boolean {
  if (now - reported.at < APART || progress.message === reported.message) return false;
  const moved = progress.percent !== reported.percent;
  return !moved || progress.percent - reported.percent >= STEP;
}
