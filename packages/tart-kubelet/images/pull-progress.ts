import { type Duration, seconds } from '@minifleet/clock';

/** Where a pull stands, read from the lines Tart prints. */
export interface PullProgress {
  /** Compressed, as it goes over the line; undefined until Tart has said it. */
  readonly totalBytes: number | undefined;
  /** What a cached relative of the image spares. */
  readonly sparedBytes: number;
  readonly percent: number;
  /** One sentence for people. */
  readonly words: string;
}

export const nothingPulled: PullProgress = {
  totalBytes: undefined,
  sparedBytes: 0,
  percent: 0,
  words: 'asking the registry',
};

const GB = 1e9;

/** The next standing after one more line; a line that says nothing new leaves it as it is. */
export function readPullLine(before: PullProgress, line: string): PullProgress {
  const text = line.trim();
  const total = /^pulling disk \(([\d.]+) GB compressed\)/.exec(text)?.[1];
  if (total !== undefined) {
    const totalBytes = Math.round(Number(total) * GB);
    return { ...before, totalBytes, words: `0% of ${total} GB` };
  }
  const percent = /^(\d{1,3})%$/.exec(text)?.[1];
  if (percent !== undefined) return withPercent(before, Math.min(100, Number(percent)));
  const spared = /^found an image .* avoid fetching ([\d.]+) GB/.exec(text)?.[1];
  if (spared !== undefined) return { ...before, sparedBytes: Math.round(Number(spared) * GB) };
  if (text === 'waiting for lock...') return { ...before, words: 'waiting for another pull from the same registry' };
  const broken = /^Error pulling image: "(.*)", attempting to re-try/.exec(text)?.[1];
  if (broken !== undefined) return { ...before, words: `the line broke (${broken}), trying again` };
  return before;
}

const withPercent = (before: PullProgress, percent: number): PullProgress => ({
  ...before,
  percent,
  words: `${percent}%${before.totalBytes === undefined ? '' : ` of ${(before.totalBytes / GB).toFixed(1)} GB`}`,
});

/** What came over the line so far. */
export const pulledBytes = ({ totalBytes = 0, sparedBytes, percent }: PullProgress): number =>
  Math.max(0, Math.round((totalBytes * percent) / 100) - sparedBytes);

/** What is still to come, as far as Tart has said. */
export const promisedBytes = ({ totalBytes = 0, percent }: PullProgress): number =>
  Math.round((totalBytes * (100 - percent)) / 100);

/** When somebody was last told of a pull, and what. */
export interface Told {
  readonly at: number;
  readonly percent: number;
  readonly words: string;
}

const APART: Duration = seconds(30);
const STEP = 10;

/**
 * Whether progress is worth telling: at most each half minute and each tenth, so that one pull is at most some ten
 * events however long it takes, and a Pod keeps most of what it may have (25, then one in five minutes).
 */
export function worthTelling(told: Told, progress: PullProgress, now: number): boolean {
  if (now - told.at < APART || progress.words === told.words) return false;
  const moved = progress.percent !== told.percent;
  return !moved || progress.percent - told.percent >= STEP;
}
