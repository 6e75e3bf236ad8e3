/** Assigns VM slots: macOS runs at most two VMs at a time, including those started outside the agent. */
export interface SlotQueue {
  /** Resolves when the Pod has a slot; the oldest waiting Pod goes first. Rejects when the signal aborts. */
  claim(claim: SlotClaim): Promise<void>;
  /** Records a guest that already runs, even if it exceeds the total. */
  hold(uid: string): void;
  release(uid: string): void;
  /** Sets the number of running VMs that the agent does not manage. */
  setForeign(count: number): void;
  readonly total: number;
  readonly used: number;
  readonly waiting: number;
}

interface SlotClaim {
  readonly uid: string;
  /** creationTimestamp; compared as text. */
  readonly createdAt: string;
  readonly signal: AbortSignal;
  /** Called with a message if no slot is free immediately. */
  readonly onWait: (message: string) => void;
}

interface SlotWaiter extends SlotClaim {
  grant(): void;
}

export function createSlotQueue({ total }: { readonly total: number }): SlotQueue {
  const held = new Set<string>();
  const waiters = new Set<SlotWaiter>();
  let foreign = 0;

  const free = (): number => total - foreign - held.size;

  function grantFree(): void {
    for (const waiter of [...waiters].sort(older)) {
      if (free() <= 0) return;
      waiters.delete(waiter);
      held.add(waiter.uid);
      waiter.grant();
    }
  }

  function wait(claim: SlotClaim): Promise<void> {
    const others = foreign > 0 ? `, ${foreign} of them by foreign VMs` : '';
    claim.onWait(`${foreign + held.size} of ${total} VM slots of this host are in use${others}`);
    return new Promise((resolve, reject) => {
      const waiter: SlotWaiter = { ...claim, grant: resolve };
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
      // Waiting Pods come first, even if a slot is free for a moment.
      if (free() > 0 && waiters.size === 0) held.add(claim.uid);
      else await wait(claim);
    },
    hold: uid => void held.add(uid),
    release(uid) {
      if (held.delete(uid)) grantFree();
    },
    setForeign(count) {
      foreign = count;
      grantFree();
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

const older = (one: SlotWaiter, other: SlotWaiter): number =>
  one.createdAt === other.createdAt ? (one.uid < other.uid ? -1 : 1) : one.createdAt < other.createdAt ? -1 : 1;
