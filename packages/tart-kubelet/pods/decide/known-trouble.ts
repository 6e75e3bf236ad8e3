/** What Virtualization.framework says to a program in a guest that starts a macOS guest of its own. */
const NESTED = /Virtualization is not available on this hardware/;

/** What the log of a failed run shows to be the matter, for troubles that no other try will mend. */
export const knownTrouble = (log: string): string | undefined =>
  NESTED.test(log)
    ? 'macOS runs no macOS VM inside a VM, and a Pod is one (I30): bake images on a builder host, see docs/vm-image-builder.md'
    : undefined;
