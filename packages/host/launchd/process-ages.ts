/** How many seconds each process has been running, by pid, from `ps -axo pid=,etime=,command=`. */
export function processAges(listing: string): ReadonlyMap<number, number> {
  const ages = new Map<number, number>();
  for (const line of listing.split('\n')) {
    const found = /^\s*(\d+)\s+(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)(?:\s|$)/.exec(line);
    if (!found) continue;
    const [pid = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1).map(part => Number(part ?? 0));
    ages.set(pid, ((days * 24 + hours) * 60 + minutes) * 60 + seconds);
  }
  return ages;
}
