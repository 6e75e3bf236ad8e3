/** What `npm start` prints, line by line, without what differs from run to run: times, ports, folders, names, and which part was first. */
export const steadyStart = (text: string): string[] =>
  between(text, '… node agent', 'leaves nothing behind.\n')
    .replaceAll(/\d+\.\d s/g, '1.0 s')
    .replaceAll(/\/\S*\/minifleet-cluster-\w+/g, '/tmp/minifleet-cluster-1')
    .replaceAll(/(127\.0\.0\.1|198\.1[89]\.\d+\.\d+):\d+/g, '127.0.0.1:1')
    .replaceAll(/\btuist-pool-\d+/g, 'tuist-pool-01')
    .replaceAll(/\bwarm-[0-9a-f]+/g, 'warm-1')
    .split('\n')
    // Plain lines of progress come when something takes long.
    .filter(line => !/^… .+ \(1\.0 s\)/.test(line))
    .toSorted();

/** Before, dependencies may be installed; afterwards it is stopped. */
const between = (text: string, first: string, last: string): string =>
  text.slice(text.indexOf(first), text.indexOf(last) + last.length);
