import { createHook } from 'node:async_hooks';

/**
 * Node's test runner follows every promise of the process with an async hook, to name the test that caused an uncaught
 * exception. This was half of the processor time of unit tests and of tests with simulated Macs (mostly garbage collection
 * of promises with a destroy hook). Without it an uncaught exception still fails the run, but is reported beside the tests.
 * The hook itself has to stay: it connects a test with the `describe` around it.
 */
export function followNoPromises(): void {
  interface Hook extends Record<symbol, unknown> {
    enable: (this: Hook) => unknown;
  }
  const prototype = Object.getPrototypeOf(createHook({})) as Hook;
  const { enable } = prototype;
  prototype.enable = function () {
    for (const symbol of Object.getOwnPropertySymbols(this)) {
      if (symbol.description === 'kNoPromiseHook') this[symbol] = true;
      if (symbol.description === 'destroy') this[symbol] = undefined;
    }
    return enable.call(this);
  };
}
