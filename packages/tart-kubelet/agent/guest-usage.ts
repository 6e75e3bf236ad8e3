interface GuestUsage {
  readonly cpuSeconds: number;
  readonly workingSetBytes: number;
}

interface ProcessRow {
  readonly pid: string;
  readonly parent: string;
  readonly cpuSeconds: number;
  readonly bytes: number;
  readonly command: string;
}

/** By the name of the VM: `tart run <name>` with all it started, from `ps -axo pid=,ppid=,time=,rss=,command=`. */
export function guestUsages(table: string): ReadonlyMap<string, GuestUsage> {
  const rows = table.split('\n').flatMap(rowOf);
  const usages = new Map<string, GuestUsage>();
  for (const row of rows) {
    const name = /\btart(?:\.app\/\S+)? run (?:\S+ )*?(pod-[0-9a-f-]+-\d+)(?: |$)/.exec(row.command)?.[1];
    if (name !== undefined && !usages.has(name)) usages.set(name, sumOf(rows, row));
  }
  return usages;
}

function rowOf(line: string): ProcessRow[] {
  const found = /^\s*(\d+)\s+(\d+)\s+([\d:.-]+)\s+(\d+)\s+(.*)$/.exec(line);
  if (!found) return [];
  const [, pid = '', parent = '', time = '', kilobytes, command = ''] = found;
  return [{ pid, parent, cpuSeconds: secondsOf(time), bytes: Number(kilobytes) * 1_024, command }];
}

/** `[[dd-]hh:]mm:ss[.hh]`. */
const secondsOf = (time: string): number =>
  time.split(/[-:]/).reduce((total, part, index, { length }) => {
    const unit = [1, 60, 3_600, 86_400][length - 1 - index] ?? 0;
    return total + Number(part) * unit;
  }, 0);

function sumOf(rows: readonly ProcessRow[], first: ProcessRow): GuestUsage {
  const family = new Set([first.pid]);
  // A child may stand before its parent in the table: look until none is added.
  for (let before = 0; before !== family.size; ) {
    before = family.size;
    for (const { pid, parent } of rows) if (family.has(parent)) family.add(pid);
  }
  const members = rows.filter(({ pid }) => family.has(pid));
  return {
    cpuSeconds: members.reduce((total, { cpuSeconds }) => total + cpuSeconds, 0),
    workingSetBytes: members.reduce((total, { bytes }) => total + bytes, 0),
  };
}
