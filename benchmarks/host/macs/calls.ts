/** Address of a simulated Mac, serializable. */
export interface MacAddress {
  readonly name: string;
  readonly port: number;
  readonly password: string;
  /** Private key that all Macs accept. */
  readonly keyFile: string;
}

/** Paths of the artifacts for hosts. */
export interface ArtifactPaths {
  readonly tart: { readonly version: string; readonly archive: string };
  readonly agent: string;
  readonly nextAgent: string;
  readonly largeAgent: string;
}

/** Calls to the process of the Macs. */
export interface MacsCalls {
  addresses(): Promise<readonly MacAddress[]>;
  artifacts(): Promise<ArtifactPaths>;
  /** Requests that the world does not model. They make the figures invalid. */
  gaps(): Promise<readonly string[]>;
  close(): Promise<void>;
}
