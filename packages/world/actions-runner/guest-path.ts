type Environment = Readonly<Record<string, string>>;

/** An absolute path of the guest, as a file of this machine; one that is such a file already stays. */
export function guestPath({ GUEST_ROOT: guest = '' }: Environment, path: string): string {
  return path.startsWith(`${guest}/`) ? path : guest + path;
}
