/** A guest: one VM for one run of one Pod. Its state is in its record and its supervisor, not in this process. */
import type { Readable, Writable } from 'node:stream';
import type { Duration } from '@minifleet/clock';

/** Identifies a run of a Pod. The VM is `pod-<uid>-<attempt>`; a name that does not parse belongs to a foreign VM. */
export interface GuestId {
  readonly uid: string;
  /** 0 for the first run; increases with every restart of the Pod's container. */
  readonly attempt: number;
}

/** A host folder that the guest sees under `/Volumes/My Shared Files/<name>`. */
export interface Share {
  readonly name: string;
  readonly path: string;
  readonly readOnly: boolean;
}

/** Plain data that is written to the record before anything is created. */
export interface GuestSpec {
  readonly id: GuestId;
  /** `namespace/name`, for operators and logs. */
  readonly pod: string;
  /** Name of a VM that the agent of the previous system started (default: `pod-<uid>-<attempt>`). */
  readonly vmName?: string | undefined;
  /** `repo@sha256:…`, already pulled. */
  readonly image: string;
  /** Image name as the Pod specified it when this run started. */
  readonly imageName?: string | undefined;
  readonly cpus?: number | undefined;
  readonly memoryMegabytes?: number | undefined;
  readonly shares: readonly Share[];
  /** Generates a new MAC address and machine id (default: true, unless the Pod keeps the image's). */
  readonly freshIdentity: boolean;
  /** The host serves the screen to clients that have its address and password. */
  readonly screen?: boolean | undefined;
  /** The Pod's process inside the guest; without one, the VM itself is the process and ends when it halts. */
  readonly process?: GuestProcess | undefined;
  /** File to which the supervisor appends the output, in CRI format. */
  readonly logFile: string;
  /** Time limit for the boot and the first answer of the guest agent. */
  readonly bootWithin: Duration;
}

/** Placeholder for the guest's address in the process: only the supervisor knows it when the process starts. */
export const ADDRESS_IN_PROCESS = '{{minifleet.dev/pod-ip}}';

export interface GuestProcess {
  /** May contain `ADDRESS_IN_PROCESS`, as may the environment values. */
  readonly argv: readonly [string, ...string[]];
  /**
   * Path in the guest of a file with `KEY=value` entries, separated by NUL, inside a read-only share: values never
   * appear in arguments.
   */
  readonly environmentFile: string | undefined;
  readonly workingDirectory: string | undefined;
}

/** VM that the agent of the previous system started for a Pod of this Node. */
export interface InheritedVm {
  readonly id: GuestId;
  /** `namespace/name`. */
  readonly pod: string;
  readonly name: string;
  /** As reported by the previous agent. */
  readonly startedAt: number;
  readonly address: string | undefined;
}

/** State of a guest, following Kubernetes' container states. */
export type GuestState =
  /** The record exists, the VM may not. After `recover`: started by an agent that died, and to be started again. */
  | { readonly phase: 'creating' }
  | { readonly phase: 'starting'; readonly since: number }
  | {
      readonly phase: 'running';
      readonly startedAt: number;
      readonly address: string | undefined;
      /** The screen is served; `Guests.screen` returns its address. */
      readonly screen?: boolean | undefined;
    }
  | { readonly phase: 'exited'; readonly exit: GuestExit };

export interface GuestExit {
  readonly exitCode: number;
  /** `Completed`, `Error`, `VMCrashed`, `NetworkLost`, `StartFailed`, `BootTimedOut`, `Killed`, `NodeShutdown`, `NodeRebooted`, `ContainerStatusUnknown`. */
  readonly reason: string;
  readonly message: string;
  readonly startedAt: number | undefined;
  readonly finishedAt: number;
}

/**
 * Address at which the host serves a guest's screen (VNC). Never part of a state, because states are shown without
 * access control.
 */
export interface GuestScreen {
  readonly host: string;
  readonly port: number;
  readonly password: string;
}

export interface Guest {
  readonly spec: GuestSpec;
  readonly state: GuestState;
}

/** Guests of this host that the agent owns: in-memory view of the on-disk records. */
export interface Guests {
  /**
   * Reads every record, finds its supervisor or what it left, and stops or finishes interrupted guests. Called once, at
   * the start.
   */
  recover(): Promise<void>;
  /** Takes over VMs of the previous system that are no guests yet. Called once, when the Pods are known. */
  inherit(vms: readonly InheritedVm[]): Promise<void>;
  all(): readonly Guest[];
  find(id: GuestId): Guest | undefined;
  /** Called whenever a guest's state changes. */
  onChange(listener: (guest: Guest) => void): () => void;
  /** Writes the record, clones, configures, and starts the supervisor. Safe to repeat after a crash at any point. */
  start(spec: GuestSpec): Promise<void>;
  /** Stops the guest within its grace period: shutdown, then power cut, then kill. Ends with state `exited`. */
  stop(id: GuestId, grace: Duration): Promise<void>;
  /** Removes VM and record of an exited guest. Its log and shared folders belong to the Pod and stay. */
  remove(id: GuestId): Promise<void>;
  exec(id: GuestId, options: ExecOptions): Promise<ExecSession>;
  /** Undefined for a guest started without a screen; rejects while a guest with a screen does not serve it. */
  screen(id: GuestId): Promise<GuestScreen | undefined>;
}

export interface ExecOptions {
  readonly argv: readonly [string, ...string[]];
  readonly terminal?: { readonly rows: number; readonly columns: number } | undefined;
  readonly stdin: boolean;
}

export interface ExecSession {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves with the exit code; rejects if the guest or the connection is lost. */
  readonly exited: Promise<number>;
  resize(size: { readonly rows: number; readonly columns: number }): void;
  close(): void;
}
