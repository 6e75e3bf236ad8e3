/** Loaded before every test file by `scripts/test.ts`. */
import { endWhenStuck } from './end-when-stuck.ts';

endWhenStuck(60_000);
