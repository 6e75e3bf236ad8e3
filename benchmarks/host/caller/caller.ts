/** Process: converges and plans hosts, and says what that cost. */
import { serveCalls } from '../../child/serve-calls.ts';
import type { CallerCalls } from './calls.ts';
import { runJob } from './run-job.ts';

serveCalls<CallerCalls>({
  runJob,
  peakMemory: async () => process.resourceUsage().maxRSS * 1_024,
});
