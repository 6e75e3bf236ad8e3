/** A host as steps see it: a face that only reads, and one that changes. */
import type { Clock, Duration } from '@minifleet/clock';
import type { Secret } from '@minifleet/secret';
import type { Argv } from './transport/transport.ts';

/** A command that ran. Failing to reach the host or running out of time are errors, an exit code is not. */
export interface CommandResult {
  /** Undefined when a signal ended it. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly bytes: Buffer;
}

export interface QueryOptions {
  /** As root, through `sudo -n`. */
  readonly root?: boolean;
  readonly timeout?: Duration;
}

export interface FileInfo {
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  /** `0755` and the like, without the kind. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
}

/**
 * Reads, and nothing else: an inspection is given this face only. What is asked in the same turn of the event loop
 * travels together, so a step asks for everything it needs at once (`Promise.all`), and the inspections of a whole plan
 * cost a round trip or two.
 */
export interface HostView {
  /** For people: `m1@203.0.113.7:22`. */
  readonly address: string;
  /** The account we log in with. */
  readonly user: string;
  readonly clock: Clock;
  query(argv: Argv, options?: QueryOptions): Promise<CommandResult>;
  /** As root; undefined when there is no such file. */
  readText(path: string): Promise<string | undefined>;
  readBytes(path: string): Promise<Buffer | undefined>;
  /** As root, of the path itself: a link is not followed. Undefined when there is nothing. */
  fileInfo(path: string): Promise<FileInfo | undefined>;
  /** Whether the file came from this artifact and is what we left after signing it. */
  holdsArtifact(path: string, artifact: Artifact): Promise<boolean>;
}

/** Where and how a file is to lie. Missing parent folders are made. */
export interface FilePlace {
  readonly path: string;
  readonly mode: number;
  /** `root:wheel` and the like. */
  readonly owner: string;
}

/** Bulk data known by its hash; it is opened only if the host does not have it. */
export interface Artifact {
  readonly name: string;
  readonly sha256: string;
  open(): AsyncIterable<Uint8Array>;
}

export interface RunOptions extends QueryOptions {
  readonly stdin?: Secret | Uint8Array | string;
  readonly signal?: AbortSignal;
}

export interface Host extends HostView {
  /** Runs a command that may change something, on a channel of its own. */
  run(argv: Argv, options?: RunOptions): Promise<CommandResult>;
  /** The same; an exit code other than 0 is `HOST_COMMAND_FAILED`. Returns its output. */
  must(argv: Argv, options?: RunOptions): Promise<string>;
  /** Runs one of `scripts/*.sh` with /bin/sh; its arguments are positional. Always as root unless said. */
  script(name: string, args: readonly string[], options?: RunOptions): Promise<CommandResult>;
  /** Writes beside the target, checks what arrived, then renames: a new inode, never half a file. */
  writeFile(place: FilePlace, content: string | Uint8Array | Secret): Promise<void>;
  /** Writes what `edit` makes of the present text, unless the file changed in between. Says whether anything differed. */
  editText(place: FilePlace, edit: (before: string) => string): Promise<boolean>;
  /** Sends it unless it is there, signs it if asked, then renames it into place. */
  upload(place: FilePlace, artifact: Artifact, options?: UploadOptions): Promise<'sent' | 'there'>;
  /** Removes a file or a tree; nothing there is fine. */
  remove(path: string): Promise<void>;
}

export interface UploadOptions {
  /** Ad hoc, before it is renamed: the kernel never sees it unsigned. */
  readonly sign?: boolean;
  readonly timeout?: Duration;
}
