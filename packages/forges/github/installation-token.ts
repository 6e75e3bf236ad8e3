import { type Clock, minutes } from '@minifleet/clock';

export interface MintedToken {
  readonly token: string;
  /** How long it is good for, by the forge’s own clock: ours may be wrong. */
  readonly life: number;
}

/** The token all requests of one installation are made with. */
export interface InstallationToken {
  /** Kept until shortly before its end; however many ask at once, one is minted. */
  current(): Promise<string>;
  /** The forge does not take it any more; a newer one is kept. */
  forget(token: string): void;
}

/** No request outlasts this. */
const SPARE = minutes(5);

/** Not auth-app’s own cache: that shares pending tokens between servers by the installation’s number, and trusts our clock. */
export function createInstallationToken(clock: Clock, mint: () => Promise<MintedToken>): InstallationToken {
  let kept: { readonly token: string; readonly until: number } | undefined;
  let pending: Promise<string> | undefined;

  async function mintAndKeep(): Promise<string> {
    const { token, life } = await mint();
    kept = { token, until: clock.now() + life - SPARE };
    return token;
  }

  return {
    async current() {
      if (kept && clock.now() < kept.until) return kept.token;
      pending ??= mintAndKeep().finally(() => {
        pending = undefined;
      });
      return pending;
    },
    forget(token) {
      if (kept?.token === token) kept = undefined;
    },
  };
}
