import type { Secret } from '@minifleet/secret';

/**
 * Source of hosts. A driver is a folder with a function that returns a Vendor; every driver passes the contract in
 * `testing/vendor.contract.ts`. Failures are errors of `errors.ts`; a failed call may still have had its effect.
 */
export interface Vendor {
  /** Name in logs and metrics: `scaleway`. */
  readonly name: string;
  /** Operations on a host that this vendor supports in addition to renaming. */
  readonly can: VendorCapabilities;
  /** All servers of a zone, including those of other users of the account. */
  servers(zone: string, options?: CallOptions): Promise<readonly Server[]>;
  /** Undefined only if the server certainly does not exist; missing permissions and missing responses are errors. */
  server(ref: ServerRef, options?: CallOptions): Promise<Server | undefined>;
  /** Unconditional: the last writer wins. The name is the only field that operators and other clusters see. */
  rename(ref: ServerRef, name: string, options?: CallOptions): Promise<void>;
  /**
   * Wipes the disk and installs this image, or the default image of the type. A reinstall in progress is success. A server
   * that is busy with another operation gives VENDOR_REJECTED, because it must not count as wiped.
   */
  reinstall(ref: ServerRef, image: string | undefined, options?: CallOptions): Promise<void>;
  /** Requests a restart and does not wait for it. A restart in progress is success. */
  reboot(ref: ServerRef, options?: CallOptions): Promise<void>;
  /** macOS images that are currently available for this server type; never cached, because images are retired. */
  images(zone: string, type: string, options?: CallOptions): Promise<readonly Image[]>;
  /**
   * Ensures that hosts that are installed later accept this key. Keys are compared by material, not by name. If the
   * vendor installs nothing, this does nothing, and operators add the key to their Macs.
   */
  registerKey(key: FleetKey, options?: CallOptions): Promise<RegisteredKey>;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface VendorCapabilities {
  /** Without support, `reinstall` and `reboot` throw VENDOR_CANNOT, and a released host stays unchanged. */
  readonly reinstall: boolean;
  readonly reboot: boolean;
}

export interface ServerRef {
  readonly zone: string;
  /** UUID in lower case, which is also the name of the MacHost. */
  readonly id: string;
}

/** A physical Mac in the list of its vendor. */
export interface Server extends ServerRef {
  readonly name: string;
  /** `M2-L`. */
  readonly type: string;
  readonly image: Image;
  /** `ready` for use; `busy` while the vendor delivers, installs or restarts it; `broken` if only vendor support can help. */
  readonly state: 'ready' | 'busy' | 'broken';
  /** State in the terms of the vendor, for messages. */
  readonly stateWord: string;
  /** Address for SSH; absent before delivery. */
  readonly address?: string;
  /** (default: 22) */
  readonly sshPort?: number;
  readonly user: string;
  /** Absent if the vendor returns none; never the literal `<sealed>`. */
  readonly password?: Secret;
  /** `host:port` of the VNC screen, for operators; without a password. */
  readonly screen?: string;
  /** Milliseconds since 1970. */
  readonly orderedAt?: number;
  /** Earliest time at which the rental can end (24 h minimum of Apple); for operators and metrics. */
  readonly returnableAt?: number;
}

/** A macOS image. */
export interface Image {
  /** Name for `reinstall`: `macos-tahoe-26.3`. */
  readonly name: string;
  /** Family in the spelling of the vendor: `Tahoe`. */
  readonly family: string;
  /** `26.3`. */
  readonly version: string;
  readonly beta: boolean;
}

export interface FleetKey {
  readonly name: string;
  /** `ssh-ed25519 AAAA…`, with or without a comment. */
  readonly publicKey: string;
}

export interface RegisteredKey {
  readonly id: string;
  /** `present`: unchanged; `created`: new key; `replaced`: stale keys of the same name were deleted. */
  readonly outcome: 'present' | 'created' | 'replaced';
}
