/** Process: converges and plans hosts, and measures the cost. */
import { serveCalls } from '../../child/serve-calls.ts';
import type { CallerCalls } from './calls.ts';
import { runJob } from './run-job.ts';

serveCalls<CallerCalls>({
  runJob,
  peakMemory: async () => process.resourceUsage().maxRSS * 1_024,
});
