/** What to do when a host does not accept our key: nothing else lets anyone in over SSH. */
export interface RefusedKey {
  readonly address: string;
  readonly user: string;
  readonly keyFile: string;
  /** Undefined when it cannot be derived from the private key. */
  readonly publicKey: string | undefined;
}

/** The way back in, step by step, with the line to paste in full. */
export function recoveryPath({ address, user, keyFile, publicKey }: RefusedKey): string {
  const line = publicKey ?? `(the output of: ssh-keygen -y -f ${keyFile})`;
  return `${address} refuses the key ${keyFile}. Its public half is

${line}

Put it there in one of two ways, then run this again:

  1. Open the host's remote desktop in the vendor's console, log in as ${user}, open Terminal and paste:

     mkdir -p ~/.ssh && chmod 700 ~/.ssh
     echo '${line}' >> ~/.ssh/scw_authorized_keys
     chmod 600 ~/.ssh/scw_authorized_keys

  2. Or register the key with the vendor's project and reinstall the host: it is put there at installation.
     Everything on the host is lost, and it shows another host key afterwards.
`;
}
