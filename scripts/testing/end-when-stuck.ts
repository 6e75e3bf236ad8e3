import { after } from 'node:test';

/**
 * Ends a test file whose tests are over but which keeps running, and fails it by its name. A loop or a server that a failed
 * test leaves open would otherwise keep the file, and with it the whole run: no timeout of Node's test runner covers that.
 */
export function endWhenStuck(patienceMilliseconds: number): void {
  after(() => exitWhenStuck(patienceMilliseconds));
}

/** Exits with a failure if the process is still running after the given time. */
export function exitWhenStuck(patienceMilliseconds: number): void {
  const exit = (): never => {
    const open = process.getActiveResourcesInfo().join(', ');
    console.error(`the tests of ${process.argv[1]} are over, but it does not end; still open: ${open}`);
    process.exit(1);
  };
  setTimeout(exit, patienceMilliseconds).unref();
}
