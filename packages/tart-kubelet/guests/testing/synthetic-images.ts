import { createHash } from 'node:crypto';
import { type Clock, type Duration, milliseconds, pause } from '@minifleet/clock';
import type { ImageRequest, Images } from '../../images/images.ts';

export interface SyntheticImagesOptions {
  readonly clock: Clock;
  /** Duration of a pull; absent images only. */
  readonly pullsIn?: (image: string) => Duration;
  /** Called for every pull; what it throws is what the pull fails with. */
  readonly onPull?: (request: ImageRequest) => void;
}

/** Images without a registry: any name can be had, after a time. */
export function createSyntheticImages(options: SyntheticImagesOptions): Images {
  const present = new Map<string, string>();
  const pulling = new Map<string, Promise<void>>();

  async function pull(request: ImageRequest): Promise<void> {
    options.onPull?.(request);
    await pause(options.clock, options.pullsIn?.(request.image) ?? milliseconds(0), request.signal);
    request.signal.throwIfAborted();
    present.set(request.image, digestOf(request.image));
  }

  return {
    async ensure(request) {
      const { image, policy } = request;
      const known = present.get(image);
      if (known && policy !== 'Always') return { digest: known, pulled: false };
      const underWay = pulling.get(image) ?? pull(request).finally(() => pulling.delete(image));
      pulling.set(image, underWay);
      await underWay;
      return { digest: digestOf(image), pulled: true };
    },
    list: async () => [...present].map(([image, digest]) => ({ names: [digest, image], sizeBytes: 1 })),
    reclaim: async () => ({ freedBytes: 0, removed: [] }),
  };
}

const digestOf = (image: string): string =>
  image.includes('@sha256:')
    ? image
    : `${image.replace(/:[^:/]+$/, '')}@sha256:${createHash('sha256').update(image).digest('hex')}`;
