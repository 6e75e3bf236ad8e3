import type { Secret } from '@minifleet/secret';

/**
 * Where hosts come from. A driver is a folder with a function that gives one of these; `testing/vendor.contract.ts` is what
 * every driver passes. Whatever goes wrong is an error of `errors.ts`; a call that failed may still have had its effect.
 */
export interface Vendor {
  /** `scaleway`, `inventory`: in logs and metrics. */
  readonly name: string;
  /** What this vendor can do to a host beyond naming it. */
  readonly can: VendorCapabilities;
  /** All servers of a zone, whoever they belong to. */
  servers(zone: string, options?: CallOptions): Promise<readonly Server[]>;
  /** Undefined when the vendor is sure that it does not have it, or no longer; no rights and no answer are errors. */
  server(ref: ServerRef, options?: CallOptions): Promise<Server | undefined>;
  /** Unconditional: the last writer wins. A name is the only mark a server bears for people and other clusters. */
  rename(ref: ServerRef, name: string, options?: CallOptions): Promise<void>;
  /**
   * Wipes the disk and installs this image, or the type's own when none is given. Under way already is success, a server
   * that is busy with something else VENDOR_REJECTED: it must not be taken for wiped.
   */
  reinstall(ref: ServerRef, image: string | undefined, options?: CallOptions): Promise<void>;
  /** Asks for a restart and does not wait for it. Under way already is success. */
  reboot(ref: ServerRef, options?: CallOptions): Promise<void>;
  /** macOS images this type of server can be installed with now; never from memory, for images are retired. */
  images(zone: string, type: string, options?: CallOptions): Promise<readonly Image[]>;
  /**
   * Makes sure that hosts installed from now on accept this key. Compared by its material, not by its name. Where the
   * vendor installs nothing there is nothing to do, and people put the key on their Macs.
   */
  registerKey(key: FleetKey, options?: CallOptions): Promise<RegisteredKey>;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface VendorCapabilities {
  /** Whether `reinstall` and `reboot` do something. Where not, they throw VENDOR_CANNOT, and a released host is as it was left. */
  readonly reinstall: boolean;
  readonly reboot: boolean;
}

export interface ServerRef {
  readonly zone: string;
  /** A UUID in lower case: it is the name of the HostClaim. */
  readonly id: string;
}

/** A physical Mac as its vendor lists it. */
export interface Server extends ServerRef {
  readonly name: string;
  /** `M2-L`. */
  readonly type: string;
  readonly image: Image;
  /** `ready` for work; `busy` while the vendor delivers, installs or restarts it; `broken` when only its support can help. */
  readonly state: 'ready' | 'busy' | 'broken';
  /** The vendor's own word for its state, for people. */
  readonly stateWord: string;
  /** Where SSH answers; absent before delivery. */
  readonly address?: string;
  /** 22 unless said. */
  readonly sshPort?: number;
  readonly user: string;
  /** Absent when the vendor shows none: never the literal `<sealed>`. */
  readonly password?: Secret;
  /** `host:port` of its screen, for people; without a password. */
  readonly screen?: string;
  /** Milliseconds since 1970. */
  readonly orderedAt?: number;
  /** Before this the vendor takes it back from nobody (Apple's 24 h); for people and metrics, never fought. */
  readonly returnableAt?: number;
}

/** A macOS image. */
export interface Image {
  /** `macos-tahoe-26.3`: what `reinstall` takes. */
  readonly name: string;
  /** As the vendor writes it: `Tahoe`. */
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
  /** What it took: nothing, a new key, or another key of the same name in its place. */
  readonly outcome: 'present' | 'created' | 'replaced';
}
