/** Process: converges and plans hosts, and says what that cost. */
import { answerCalls } from '../../child/answer-calls.ts';
import type { CallerCalls } from './calls.ts';
import { carryOut } from './carry-out.ts';

answerCalls<CallerCalls>({
  carryOut,
  peakMemory: async () => process.resourceUsage().maxRSS * 1_024,
});
