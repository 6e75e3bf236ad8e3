/** A Mac of the world as a caller needs to know it; only what can be sent between processes. */
export interface MacAddress {
  readonly name: string;
  readonly port: number;
  readonly password: string;
  /** The private key every one of them accepts. */
  readonly keyFile: string;
}

/** Paths of what is sent to hosts. */
export interface ArtifactPaths {
  readonly tart: { readonly version: string; readonly archive: string };
  readonly agent: string;
  readonly nextAgent: string;
  readonly largeAgent: string;
}

/** What the benchmark may ask of the process the Macs run in. */
export interface MacsCalls {
  addresses(): Promise<readonly MacAddress[]>;
  artifacts(): Promise<ArtifactPaths>;
  /** What was asked of the Macs and is not modelled: a figure that rests on it would mean nothing. */
  gaps(): Promise<readonly string[]>;
  close(): Promise<void>;
}
