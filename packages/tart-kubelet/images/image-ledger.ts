import { readFile } from 'node:fs/promises';
import type { Clock } from '@minifleet/clock';
import { errorFields, type Log, messageOf } from '@minifleet/kube';
import { writeDurably } from '../durable/write-durably.ts';

/** Storage of the ledger; written durably. */
export interface LedgerFile {
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

interface LedgerContent {
  readonly version: 1;
  /** Pulls in progress: the reference, and the digest to which it resolved before (empty if absent). */
  readonly pulling: Readonly<Record<string, string>>;
  /** Images pulled by the agent, by `repo@sha256:…`, with the time of their last use in milliseconds. */
  readonly images: Readonly<Record<string, number>>;
}

/**
 * Records which images this agent pulled, and when each was last used. Any other image is foreign and never removed. An
 * unreadable ledger counts as empty: then no image is owned, and nothing is removed.
 * No call rejects.
 */
export interface ImageLedger {
  /** Called before the pull, so that an image that arrives while the agent dies is recorded as owned. */
  intend(reference: string, before: string | undefined): Promise<void>;
  /** Called after the pull; `fetched` distinguishes a downloaded image from one that was present. */
  settle(reference: string, arrived: { readonly digest: string; readonly fetched: boolean } | undefined): Promise<void>;
  used(digest: string): void;
  owned(): ReadonlyMap<string, number>;
  forget(digest: string): Promise<void>;
  /** Settles pulls that a previous agent process left in progress. Called once, at the start. */
  recover(digestOf: (reference: string) => Promise<string | undefined>): Promise<void>;
  /** Writes the times of use; called with each collection, because losing a few minutes of them is harmless. */
  save(): Promise<void>;
}

interface ImageLedgerOptions {
  readonly file: LedgerFile;
  readonly clock: Clock;
  readonly log: Log;
}

export async function openImageLedger({ file, clock, log }: ImageLedgerOptions): Promise<ImageLedger> {
  const written = readLedger(await file.read(), log);
  const pulling = new Map(Object.entries(written.pulling));
  const images = new Map(Object.entries(written.images));
  let tail: Promise<void> = Promise.resolve();

  // One write at a time, each with the state at its turn. A full disk must not keep a pull from cleaning up: unwritten
  // changes are written with the next save, and until then a crash makes the image foreign, which is safe.
  const save = (): Promise<void> => {
    tail = tail.then(async () => {
      try {
        await file.write(writeLedger(pulling, images));
      } catch (error) {
        log.warn(errorFields(error), 'Image ledger could not be written');
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
            'Interrupted pull could not be settled; retrying at the next start',
          );
        }
      }
      await save();
    },
  };
}

const NOTHING: LedgerContent = { version: 1, pulling: {}, images: {} };

function readLedger(text: string | undefined, log: Log): LedgerContent {
  if (text === undefined) return NOTHING;
  try {
    const read = JSON.parse(text) as Partial<LedgerContent> | null;
    if (read?.version !== 1) throw new Error('unsupported version');
    return { ...NOTHING, ...read };
  } catch (error) {
    log.warn({ why: messageOf(error) }, 'Image ledger is unreadable; images pulled earlier are never removed');
    return NOTHING;
  }
}

const writeLedger = (pulling: ReadonlyMap<string, string>, images: ReadonlyMap<string, number>): string =>
  JSON.stringify({
    version: 1,
    pulling: Object.fromEntries(pulling),
    images: Object.fromEntries(images),
  } satisfies LedgerContent);

/** Stores the ledger as one file in the state directory. */
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
