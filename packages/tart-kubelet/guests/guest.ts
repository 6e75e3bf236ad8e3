/** A guest: one VM that is one run of one Pod. Its life is in its record and its supervisor, not in this process. */
import type { Readable, Writable } from 'node:stream';
import type { Duration } from '@minifleet/clock';

/** Which run of which Pod. The VM is `pod-<uid>-<attempt>`: a name that does not parse is not ours. */
export interface GuestId {
  readonly uid: string;
  /** 0 for the first run; grows with every restart of the Pod's one container. */
  readonly attempt: number;
}

/** A folder of the host that the guest sees under `/Volumes/My Shared Files/<name>`. */
export interface Share {
  readonly name: string;
  readonly path: string;
  readonly readOnly: boolean;
}

/** What to run, as plain data: it is written to the record before anything exists. */
export interface GuestSpec {
  readonly id: GuestId;
  /** For people and logs: `namespace/name`. */
  readonly pod: string;
  /** `repo@sha256:…`, already pulled. */
  readonly image: string;
  /** The same as its Pod named it when this run was begun. */
  readonly imageName?: string | undefined;
  readonly cpus?: number | undefined;
  readonly memoryMegabytes?: number | undefined;
  readonly shares: readonly Share[];
  /** A fresh MAC address and machine id unless the Pod asks to keep the image's. */
  readonly freshIdentity: boolean;
  /** The host serves its screen, to whoever is told where and by which password. */
  readonly screen?: boolean | undefined;
  /** The Pod's process inside the guest; without one the VM itself is the process and ends when it halts. */
  readonly process?: GuestProcess | undefined;
  /** Where the supervisor appends its output, in CRI format. */
  readonly logFile: string;
  /** How long the guest may take to boot and its agent to answer. */
  readonly bootWithin: Duration;
}

/** Stands for the guest's address in what its process is given: only its supervisor knows it by the time the process begins. */
export const ADDRESS_IN_PROCESS = '{{minifleet.dev/pod-ip}}';

export interface GuestProcess {
  /** May hold `ADDRESS_IN_PROCESS`, as the values of the environment may. */
  readonly argv: readonly [string, ...string[]];
  /** A file of `KEY=value` entries, NUL between them, inside a read-only share, by its path in the guest: values never stand in an argument. */
  readonly environmentFile: string | undefined;
  readonly workingDirectory: string | undefined;
}

/** Why a guest is where it is, in the words of Kubernetes' container states. */
export type GuestState =
  /** The record exists, the VM may not. After `recover` this means: begun by an agent that died, and to be started again. */
  | { readonly phase: 'creating' }
  | { readonly phase: 'starting'; readonly since: number }
  | {
      readonly phase: 'running';
      readonly startedAt: number;
      readonly address: string | undefined;
      /** Its screen is served; `Guests.screen` says where. */
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

/** Where the host serves a guest's screen (VNC). Never part of a state, which may be shown to anybody. */
export interface GuestScreen {
  readonly host: string;
  readonly port: number;
  readonly password: string;
}

export interface Guest {
  readonly spec: GuestSpec;
  readonly state: GuestState;
}

/** All guests of this host that are ours. The records on disk are the truth; this is their living face. */
export interface Guests {
  /** Reads every record, finds its supervisor or what it left, and stops or finishes what died in between. Once, at the start. */
  recover(): Promise<void>;
  all(): readonly Guest[];
  find(id: GuestId): Guest | undefined;
  /** Calls back the moment a guest's state changes, from whatever cause. */
  onChange(listener: (guest: Guest) => void): () => void;
  /** Writes the record, clones, sets, and starts the supervisor. Safe to repeat after a crash anywhere in between. */
  start(spec: GuestSpec): Promise<void>;
  /** Shuts the guest down inside its grace: asks the guest, then cuts the power, then kills. Ends with state `exited`. */
  stop(id: GuestId, grace: Duration): Promise<void>;
  /** Removes VM and record. Only of a guest that has exited. Its log and the folders shared with it are the Pod's, and stay. */
  remove(id: GuestId): Promise<void>;
  /** Runs a command in a running guest. */
  exec(id: GuestId, options: ExecOptions): Promise<ExecSession>;
  /** Undefined for a guest that was started without a screen; rejects while one that has a screen does not serve it. */
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
  /** Resolves with the exit code; rejects when the guest or the connection is lost. */
  readonly exited: Promise<number>;
  resize(size: { readonly rows: number; readonly columns: number }): void;
  close(): void;
}
