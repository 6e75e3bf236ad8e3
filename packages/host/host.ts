/** A host as seen by steps: a read-only interface and one for changes. */
import type { Clock, Duration } from '@minifleet/clock';
import type { Secret } from '@minifleet/secret';
import type { Argv } from './transport/transport.ts';

/** A finished command. An unreachable host or a timeout is an error, an exit code is not. */
export interface HostCommandResult {
  /** Undefined if a signal terminated it. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly bytes: Buffer;
}

export interface QueryOptions {
  /** Runs as root through `sudo -n`. */
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
 * Read-only interface for inspections. Queries of the same turn of the event loop share a round trip: a step sends all
 * its queries at once (`Promise.all`), and inspecting a whole plan costs one or two round trips.
 */
export interface HostView {
  /** For messages: `m1@203.0.113.7:22`. */
  readonly address: string;
  /** The SSH user. */
  readonly user: string;
  readonly clock: Clock;
  query(argv: Argv, options?: QueryOptions): Promise<HostCommandResult>;
  /** Reads as root; undefined if there is no such file. */
  readText(path: string): Promise<string | undefined>;
  readBytes(path: string): Promise<Buffer | undefined>;
  /** Reads as root; symbolic links are not followed. Undefined if the path does not exist. */
  fileInfo(path: string): Promise<FileInfo | undefined>;
  /** True if the file came from this artifact and is unchanged since it was signed. */
  holdsArtifact(path: string, artifact: Artifact): Promise<boolean>;
  /** Removes the secrets that this process knows, and what has the form of one. For output that is shown in part: half a secret is not found. */
  redact(text: string): string;
}

/** Path, mode and owner of a file. Missing parent directories are created. */
export interface FilePlace {
  readonly path: string;
  readonly mode: number;
  /** `root:wheel` and the like. */
  readonly owner: string;
}

/** Bulk data identified by its hash; opened only if the host does not have it. */
export interface Artifact {
  readonly name: string;
  readonly sha256: string;
  open(): AsyncIterable<Uint8Array>;
}

export interface HostRunOptions extends QueryOptions {
  readonly stdin?: Secret | Uint8Array | string;
  readonly signal?: AbortSignal;
}

export interface Host extends HostView {
  /** Runs a command that may change something, on its own channel. */
  run(argv: Argv, options?: HostRunOptions): Promise<HostCommandResult>;
  /** Same as `run`, but an exit code other than 0 is HOST_COMMAND_FAILED. Returns the output. */
  must(argv: Argv, options?: HostRunOptions): Promise<string>;
  /** Runs one of `scripts/*.sh` with /bin/sh and positional arguments (default: as root). */
  script(name: string, args: readonly string[], options?: HostRunOptions): Promise<HostCommandResult>;
  /** Writes a temporary file, verifies its hash and renames it: a new inode, never half a file. */
  writeFile(place: FilePlace, content: string | Uint8Array | Secret): Promise<void>;
  /** Writes the result of `edit` unless the file changed in between. Returns true if the text differed. */
  editText(place: FilePlace, edit: (before: string) => string): Promise<boolean>;
  /** Uploads the artifact if it is missing, signs it if requested, then renames it into place. */
  upload(place: FilePlace, artifact: Artifact, options?: UploadOptions): Promise<'sent' | 'there'>;
  /** Removes a file or a tree; a missing path is no error. */
  remove(path: string): Promise<void>;
}

interface UploadOptions {
  /** Ad-hoc signature before the rename, so that the kernel never sees the file unsigned. */
  readonly sign?: boolean;
  readonly timeout?: Duration;
}
