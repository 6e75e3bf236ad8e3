import { readFile } from 'node:fs/promises';
import type { Clock } from '@minifleet/clock';
import { errorFields, type Log, messageOf } from '@minifleet/kube';
import { writeDurably } from '../durable/write-durably.ts';

/** Where the ledger is kept; written durably. */
export interface LedgerFile {
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

interface Written {
  readonly version: 1;
  /** Pulls under way: the reference, and the digest it stood for before (empty when it was not there). */
  readonly pulling: Readonly<Record<string, string>>;
  /** Images we brought here, by `repo@sha256:…`, with the time of their last use in milliseconds. */
  readonly images: Readonly<Record<string, number>>;
}

/**
 * Which images this agent brought to the host, and when each was last used. What is not in it was pulled by somebody
 * else and is never removed. A ledger that cannot be read is an empty one: then nothing is ours, and nothing is lost.
 * No call rejects.
 */
export interface ImageLedger {
  /** Before the pull begins, so that an image that arrives while the agent dies is known as ours. */
  intend(reference: string, before: string | undefined): Promise<void>;
  /** After it: `fetched` tells an image that came now from one that lay there. */
  settle(reference: string, arrived: { readonly digest: string; readonly fetched: boolean } | undefined): Promise<void>;
  used(digest: string): void;
  owned(): ReadonlyMap<string, number>;
  forget(digest: string): Promise<void>;
  /** Settles what an earlier life left under way. Once, at the start. */
  recover(digestOf: (reference: string) => Promise<string | undefined>): Promise<void>;
  /** Writes the times of use down; called with each collection, as losing a few minutes of them costs nothing. */
  save(): Promise<void>;
}

interface LedgerOptions {
  readonly file: LedgerFile;
  readonly clock: Clock;
  readonly log: Log;
}

export async function openImageLedger({ file, clock, log }: LedgerOptions): Promise<ImageLedger> {
  const written = readLedger(await file.read(), log);
  const pulling = new Map(Object.entries(written.pulling));
  const images = new Map(Object.entries(written.images));
  let tail: Promise<void> = Promise.resolve();

  // One write at a time, each with what is known when its turn comes. A full disk must not keep a pull from cleaning it
  // up: what is not written is written with the next, and until then a crash makes it somebody else's, which is safe.
  const save = (): Promise<void> => {
    tail = tail.then(async () => {
      try {
        await file.write(writeLedger(pulling, images));
      } catch (error) {
        log.warn(errorFields(error), 'The ledger of images could not be written');
      }
    });
    return tail;
  };

  return {
    save,
    owned: () => new Map(images),
    async intend(reference, before) {
      pulling.set(reference, before ?? '');
      await save();
    },
    async settle(reference, arrived) {
      pulling.delete(reference);
      if (arrived && (arrived.fetched || images.has(arrived.digest))) images.set(arrived.digest, clock.now());
      await save();
    },
    used(digest) {
      if (images.has(digest)) images.set(digest, clock.now());
    },
    async forget(digest) {
      if (images.delete(digest)) await save();
    },
    async recover(digestOf) {
      for (const [reference, before] of [...pulling]) {
        try {
          const digest = await digestOf(reference);
          if (digest !== undefined && digest !== before) images.set(digest, clock.now());
          pulling.delete(reference);
        } catch (error) {
          log.warn(
            { ...errorFields(error), reference },
            'An earlier pull cannot be settled yet; the next start tries again',
          );
        }
      }
      await save();
    },
  };
}

const NOTHING: Written = { version: 1, pulling: {}, images: {} };

function readLedger(text: string | undefined, log: Log): Written {
  if (text === undefined) return NOTHING;
  try {
    const read = JSON.parse(text) as Partial<Written> | null;
    if (read?.version !== 1) throw new Error('it is of another version');
    return { ...NOTHING, ...read };
  } catch (error) {
    log.warn({ why: messageOf(error) }, 'The ledger of images cannot be read; images pulled before are kept for good');
    return NOTHING;
  }
}

const writeLedger = (pulling: ReadonlyMap<string, string>, images: ReadonlyMap<string, number>): string =>
  JSON.stringify({
    version: 1,
    pulling: Object.fromEntries(pulling),
    images: Object.fromEntries(images),
  } satisfies Written);

/** The ledger as one file in the state directory. */
export const ledgerFile = (path: string): LedgerFile => ({
  write: text => writeDurably(path, text),
  async read() {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  },
});
