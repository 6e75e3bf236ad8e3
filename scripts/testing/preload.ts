/** Loaded before every test file by `scripts/test.ts`. */
import { endWhenStuck } from './end-when-stuck.ts';
import { followNoPromises } from './follow-no-promises.ts';

// Before the first call of the test runner, which installs its hook then.
followNoPromises();
endWhenStuck(60_000);
