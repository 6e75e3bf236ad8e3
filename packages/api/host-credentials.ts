/** Name of the Secret with the credentials of a host, in the namespace of its machine. */
export const hostCredentialsSecret = (host: string): string => `${host}-credentials`;

/** Keys of this Secret. They are those of the previous system, so that its Secrets stay readable; `rejected` is new. */
export const hostCredentialKeys = {
  user: 'ssh-username',
  password: 'sudo-password',
  hostKey: 'host-fingerprint',
  rejected: 'rejected-password',
} as const;
