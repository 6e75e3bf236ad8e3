/** Output of `npm start` as sorted lines, without the parts that differ between runs: times, ports, folders, names and order. */
export const normalizeStart = (text: string): string[] =>
  between(text, '… node agent', 'leaves nothing behind.\n')
    .replaceAll(/\d+\.\d s/g, '1.0 s')
    .replaceAll(/\/\S*\/minifleet-cluster-\w+/g, '/tmp/minifleet-cluster-1')
    .replaceAll(/(127\.0\.0\.1|198\.1[89]\.\d+\.\d+):\d+/g, '127.0.0.1:1')
    .replaceAll(/\btuist-pool-\d+/g, 'tuist-pool-01')
    .replaceAll(/\bwarm-[0-9a-f]+/g, 'warm-1')
    .split('\n')
    // Progress lines without a terminal appear only when a step takes long.
    .filter(line => !/^… .+ \(1\.0 s\)/.test(line))
    .toSorted();

/** Cuts off the installation of dependencies before, and the shutdown after. */
const between = (text: string, first: string, last: string): string =>
  text.slice(text.indexOf(first), text.indexOf(last) + last.length);
