import { isNotFound } from '@minifleet/kube';

/** For `catch`, where it does not matter that somebody else took it away first. */
export function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
