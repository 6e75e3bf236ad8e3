/** Who may start a VM: macOS runs two at a time, whoever started them. */
export interface SlotQueue {
  /** Resolves when the Pod has a slot; of those that wait, the oldest Pod goes first. Rejects when the signal aborts. */
  claim(claim: SlotClaim): Promise<void>;
  /** For a guest that runs already: it has its slot, even if that makes one too many. */
  hold(uid: string): void;
  release(uid: string): void;
  /** How many VMs run that are not ours. */
  setForeign(count: number): void;
  readonly total: number;
  readonly used: number;
  readonly waiting: number;
}

interface SlotClaim {
  readonly uid: string;
  /** Its creationTimestamp: those are compared as text. */
  readonly createdAt: string;
  readonly signal: AbortSignal;
  /** Called when there is none to be had at once, with a sentence. */
  readonly onWait: (words: string) => void;
}

interface Waiter extends SlotClaim {
  grant(): void;
}

export function createSlotQueue({ total }: { readonly total: number }): SlotQueue {
  const held = new Set<string>();
  const waiters = new Set<Waiter>();
  let foreign = 0;

  const free = (): number => total - foreign - held.size;

  function hand(): void {
    for (const waiter of [...waiters].sort(older)) {
      if (free() <= 0) return;
      waiters.delete(waiter);
      held.add(waiter.uid);
      waiter.grant();
    }
  }

  function wait(claim: SlotClaim): Promise<void> {
    const others = foreign > 0 ? `, ${foreign} of them by others` : '';
    claim.onWait(`${foreign + held.size} of ${total} VM slots of this host are taken${others}`);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { ...claim, grant: resolve };
      waiters.add(waiter);
      claim.signal.addEventListener('abort', () => {
        if (waiters.delete(waiter)) reject(claim.signal.reason as Error);
      });
    });
  }

  return {
    async claim(claim) {
      claim.signal.throwIfAborted();
      if (held.has(claim.uid)) return;
      // Whoever waits came to it first; a slot that is free for a moment is theirs.
      if (free() > 0 && waiters.size === 0) held.add(claim.uid);
      else await wait(claim);
    },
    hold: uid => void held.add(uid),
    release(uid) {
      if (held.delete(uid)) hand();
    },
    setForeign(count) {
      foreign = count;
      hand();
    },
    total,
    get used() {
      return foreign + held.size;
    },
    get waiting() {
      return waiters.size;
    },
  };
}

const older = (one: Waiter, other: Waiter): number =>
  one.createdAt === other.createdAt ? (one.uid < other.uid ? -1 : 1) : one.createdAt < other.createdAt ? -1 : 1;
