import { after } from 'node:test';

/**
 * A test file whose tests are over ends soon or is ended, and fails by its name. What a failed test leaves open (a loop, a
 * server) would otherwise keep its file, and with it the whole run, until somebody loses patience: no timeout of Node's
 * test runner covers that.
 */
export function endWhenStuck(patienceMilliseconds: number): void {
  after(() => {
    const end = (): never => {
      const open = process.getActiveResourcesInfo().join(', ');
      console.error(`the tests of ${process.argv[1]} are over, but it does not end; still open: ${open}`);
      process.exit(1);
    };
    setTimeout(end, patienceMilliseconds).unref();
  });
}
