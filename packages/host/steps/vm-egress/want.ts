/** What guests may reach through a host. Networks are written as `10.0.0.0/8`, single addresses without a length. */
export interface VmEgressWant {
  /** The range vmnet gives to guests. */
  readonly guests: { readonly v4: string; readonly v6?: string | undefined };
  /** What they must not reach. The guests' own range is never meant, however wide these are. */
  readonly blocked: { readonly v4: readonly string[]; readonly v6: readonly string[] };
  /** Goes before `blocked`, and before what keeps guests off the host itself. */
  readonly allow: readonly Allowance[];
}

export interface Allowance {
  readonly to: string;
  /** `4000`, or `30000:32767`. */
  readonly ports: string;
  readonly protocols: readonly ('tcp' | 'udp')[];
}

export const DEFAULT_GUESTS = { v4: '192.168.64.0/22' } as const;

/** Every network that is not the internet: a guest runs a stranger's code, and beside the host live our own machines. */
export const DEFAULT_BLOCKED = {
  // Private; where a vendor answers with a host's secrets (169.254.169.254); carriers and tailnets (100.64/10).
  v4: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '100.64.0.0/10'],
  // Private, and whatever shares a wire; what neighbour discovery needs passes.
  v6: ['fc00::/7', 'fe80::/10'],
} as const;
